"""The words that the sentence generator chooses from.

``SENSES`` is the heart of it: a noun with two meanings, the adjectives that decide between them, and what
is likely to follow. Both meanings appear behind the same openings (*Patient has*, *She saw*), so that only
the adjective can tell which word comes next; that is what an attention head has to learn.
"""

from __future__ import annotations

# noun: ((adjectives, what follows), (adjectives, what follows), ...); repeating a follower makes it likelier.
SENSES: dict[str, tuple[tuple[str, str], ...]] = {
    "chest": (
        (
            "severe|sharp|crushing|sudden|burning|worsening|intense|stabbing|acute|recurrent|constant|mild|dull",
            "pain|pain|pain|pain|pain|pain|pain|pain|pain|pain|pain|pain|tightness|pressure",
        ),
        (
            "wooden|old|carved|oak|painted|antique|pine|heavy|tall|empty|dusty|Victorian|walnut|small|broken",
            "of drawers|of drawers|of drawers|of drawers|of drawers|of drawers|of drawers|of drawers",
        ),
        ("portable|frontal|repeat|lateral|routine|urgent", "X-ray|X-ray|X-ray|X-ray|X-ray|film"),
        ("sunken|rusty|pirate|locked|buried", "of gold coins|of gold|of treasure|of jewels"),
        ("hairy|broad|muscular|bare|narrow", "and wide shoulders|and strong arms"),
    ),
    "cold": (
        (
            "bad|common|heavy|nasty|feverish|head",
            "and a sore throat|and a runny nose|and a cough|and a fever",
        ),
        ("bitter|winter|arctic|freezing|icy|biting", "weather|wind|air|weather and snow"),
    ),
    "culture": (
        (
            "blood|urine|throat|wound|sputum|stool|tissue|bacterial|sterile",
            "grew staphylococcus|grew no bacteria|grew bacteria|grew E. coli|grew salmonella",
        ),
        (
            "ancient|Greek|modern|Roman|popular|local|folk|medieval|foreign|youth",
            "loved music and dance|loved theatre|loved poems|valued its history",
        ),
    ),
    "discharge": (
        (
            "purulent|bloody|watery|nasal|vaginal|yellow|green|foul",
            "from the wound|from the nose|from the ear|from the left eye",
        ),
        (
            "hospital|planned|early|delayed|safe|weekend",
            "home on Friday|home with her daughter|home with tablets|to a nursing home|summary",
        ),
        ("electric|battery|static|lightning|spark", "of current|of electricity|of ten volts"),
    ),
    "positive": (
        (
            "weak|strong|false|faint|borderline|repeat",
            "for malaria|for influenza|for antibodies|for hepatitis",
        ),
        ("cheerful|sunny|hopeful|friendly|warm|calm", "attitude|outlook|mood|attitude to life"),
        ("whole|odd|even|small|large", "number|integer|number below ten"),
    ),
    "pressure": (
        ("blood|arterial|systolic|venous", "of 120 over 80|reading|was high|was normal|cuff"),
        ("tyre|water|steam|pump|boiler", "gauge|valve|was too low|in the pipe"),
        ("social|political|public|financial", "on the government|to resign|on the minister"),
    ),
    "organ": (
        ("failing|transplanted|donor|internal|vital", "failure|transplant|was removed|donation"),
        ("church|pipe|electric|cathedral|Hammond", "music|played a hymn|concert|recital"),
    ),
    "stool": (
        ("loose|tarry|watery|hard", "sample|with blood|for three days|specimen"),
        ("bar|kitchen|piano|milking|folding", "beside the table|with three legs|by the window"),
    ),
    "nail": (
        ("ingrown|infected|fungal|brittle", "on the left big toe|infection|of the right thumb|fold"),
        ("iron|steel|bent|long|galvanised", "in the plank|from the wall|and a hammer|in the fence"),
    ),
    "vessel": (
        ("blocked|coronary|retinal|cerebral|dilated", "disease|was opened with a stent|near the heart"),
        ("sailing|naval|fishing|merchant|cargo", "left the harbour|sank in the storm|with a crew of ten"),
    ),
    "scale": (
        ("pain|coma|itch|anxiety", "of one to ten|score of seven|score of three"),
        ("kitchen|bathroom|brass|grocer's", "weighed the flour|on the counter|showed five pounds"),
        ("minor|major|chromatic|musical", "on the piano|in G|of seven notes"),
    ),
    "murmur": (
        ("systolic|diastolic|cardiac|harsh|apical", "at the apex|over the aortic valve|on auscultation"),
        ("angry|distant|quiet|low|approving", "of voices|of the crowd|from the audience"),
    ),
    "trunk": (
        ("sweaty|rash-covered|itchy|sunburnt", "and both arms|and the legs|and the neck"),
        ("leather|packed|travelling|cabin", "full of clothes|of old letters|with brass locks"),
        ("mossy|hollow|fallen|gnarled", "of the oak tree|of an apple tree|of a tree"),
    ),
    "cast": (
        ("plaster|fibreglass|below-knee|arm", "on the left leg|for six weeks|on his broken wrist"),
        ("talented|star|supporting|whole", "of the play|of actors|of the film"),
    ),
    "film": (
        ("abdominal|lumbar|pelvic|dental", "showed a fracture|showed gallstones|was normal"),
        ("horror|silent|French|funny|famous", "at the cinema|with subtitles|by a young director"),
    ),
    "pupil": (
        ("dilated|fixed|unequal|reactive", "on the left side|with no response to light|of the right eye"),
        ("clever|lazy|shy|noisy|diligent", "in the class|at the school|of the teacher"),
    ),
    "labour": (
        ("preterm|obstructed|prolonged|induced", "and delivery|at 32 weeks|of the first child"),
        ("manual|cheap|skilled|farm", "in the fields|on the estate|and low wages"),
    ),
}

# How likely each meaning is when nothing decides between them; as many as a noun has meanings, in order.
UNDECIDED = {2: (0.45, 0.55), 3: (0.42, 0.36, 0.22), 5: (0.40, 0.25, 0.18, 0.12, 0.05)}
# Words that may stand beside the deciding one and decide nothing.
NEUTRAL = ("new", "other", "same", "usual", "first", "second", "recent", "certain")

# What stands before the adjective. {a} becomes "a" or "an"; both worlds use all of them.
OPENINGS = """
Patient has|Patient has|Patient has|Patient has {a}|The patient has {a}|The patient has|Patient reports|
The patient describes {a}|She has {a}|He has {a}|He had {a}|She had {a}|She saw {a}|We saw {a}|There was {a}|
There is {a}|This is {a}|It was {a}|It is {a}|Here is {a}|I remember {a}|They noted {a}|The letter mentions {a}|
The report describes {a}|The note says there was {a}|We spoke about {a}|{name} had {a}|{name} saw {a}|
{name} has {a}|{name} told us about {a}|She opened the|He opened the|She asked about the|He asked about the|
They talked about the|In the morning we saw the|{A}|{A}|{A}|The|The|No|No
""".replace("\n", "").split("|")

# When a verb follows the noun, the phrase is the subject and stands first.
SUBJECTS = """
The|The|{A}|{A}|She said the|He said the|We heard that the|I think the|{name} said the|Nobody knew why the|
Everyone saw that the|My {relative} asked whether the|They hoped that {a}|In the evening the|On {day} the|
The nurse told us how the|It was clear that the|He wrote that {a}|This|That|Perhaps the|Later the|And the|But the
""".replace("\n", "").split("|")
VERBS = frozenset(["was", "grew", "showed", "left", "sank", "weighed", "played", "loved", "valued"])

# Beginnings put together of three parts, so that what follows cannot lean on one of them.
WHO = """
She|He|We|They|{name}|{name}|{name}|My {relative}|Her {relative}|Our {relative}|The nurse|The doctor|The neighbours|
Everyone|Nobody|Somebody|A friend|The old man|The girl|Two students|People|Most of us|In the evening {name}|
On {day} we|Later she|At last he|Mrs {surname}|Mr {surname}|The first page|The book
""".replace("\n", "").split("|")
DOES = """
noticed|liked|wanted|found|needed|remembered|mentions|described to us|thought of|wrote about|asked for|heard of|
complained about|dealt with|was surprised by|spoke of|read about|worried about|was used to|said more about|
came back to|had seen|never had|could not find|looked at|talked about|laughed at|pointed to|began with|showed us|
waited for|had to see|did not like
""".replace("\n", "").split("|")
ARTICLES = ("the", "the", "the", "{a}", "{a}", "this", "that", "her", "his", "no", "another")

# Beginnings that no training text has: for measuring.
HELD_OUT_OPENINGS = (
    "Nobody forgot the",
    "The children drew the",
    "His aunt described the",
    "A stranger mentioned the",
    "At noon they discussed the",
    "The teacher explained the",
    "My uncle dreamt of the",
    "All of us expected the",
    "The second page shows the",
    "Her sister knew about the",
)

SHE = [
    "Ada",
    "Anna",
    "Maria",
    "Helen",
    "Grace",
    "Lucy",
    "Emma",
    "Clara",
    "Ruth",
    "Nora",
    "Alice",
    "Julia",
    "Sarah",
    "Olivia",
    "Mary",
    "Jane",
    "Irene",
    "Rosa",
    "Fatima",
    "Priya",
    "Mei",
    "Ingrid",
    "Elena",
    "Zoe",
    "Leila",
    "Amara",
    "Hana",
    "Sofia",
    "Vera",
    "Wanda",
    "Yuki",
    "Carmen",
    "Dora",
    "Esther",
    "Flora",
    "Gwen",
    "Hilda",
    "Iris",
    "Joan",
    "Kate",
    "Laura",
    "Martha",
    "Nina",
    "Paula",
    "Rita",
    "Susan",
    "Tessa",
    "Ursula",
    "Violet",
    "Agnes",
]
HE = [
    "Tom",
    "Peter",
    "John",
    "David",
    "Omar",
    "Ivan",
    "Karl",
    "Henry",
    "Oscar",
    "Louis",
    "Hugo",
    "Marco",
    "Samuel",
    "Daniel",
    "Victor",
    "Walter",
    "Arthur",
    "Ahmed",
    "Ravi",
    "Chen",
    "Lars",
    "Pedro",
    "Boris",
    "Felix",
    "Simon",
    "Adam",
    "Bruno",
    "Colin",
    "Derek",
    "Edward",
    "Frank",
    "George",
    "Harold",
    "Isaac",
    "James",
    "Kevin",
    "Leo",
    "Martin",
    "Neil",
    "Patrick",
    "Quentin",
    "Robert",
    "Stefan",
    "Tony",
    "Ulrich",
    "Vincent",
    "William",
    "Xavier",
    "Yusuf",
    "Zack",
]
SURNAMES = [
    "Smith",
    "Jones",
    "Brown",
    "Green",
    "Baker",
    "Cooper",
    "Fisher",
    "Hughes",
    "Khan",
    "Lopez",
    "Meyer",
    "Novak",
    "Okafor",
    "Patel",
    "Rossi",
    "Sato",
    "Tanaka",
    "Weber",
    "Young",
    "Adams",
    "Brooks",
    "Clark",
    "Dixon",
    "Evans",
    "Foster",
    "Grant",
    "Hill",
    "Ito",
    "Jensen",
    "Klein",
    "Lund",
    "Murphy",
]

SITES = [
    "abdominal",
    "back",
    "neck",
    "joint",
    "leg",
    "shoulder",
    "knee",
    "hip",
    "ear",
    "facial",
    "pelvic",
    "groin",
    "foot",
    "arm",
    "hand",
]
SEVERITY = [
    "severe",
    "mild",
    "moderate",
    "sharp",
    "dull",
    "acute",
    "chronic",
    "sudden",
    "recurrent",
    "intermittent",
    "constant",
    "worsening",
    "burning",
    "intense",
    "new",
    "persistent",
]
SYMPTOMS = [
    "fever",
    "cough",
    "nausea",
    "vomiting",
    "headache",
    "dizziness",
    "fatigue",
    "shortness of breath",
    "wheezing",
    "diarrhea",
    "constipation",
    "weakness",
    "numbness",
    "swelling",
    "palpitations",
    "weight loss",
    "night sweats",
    "a rash",
    "sore throat",
    "back pain",
    "joint pain",
    "abdominal pain",
    "loss of appetite",
    "blurred vision",
    "itching",
    "insomnia",
]
DISEASES = [
    "diabetes",
    "hypertension",
    "asthma",
    "pneumonia",
    "heart failure",
    "atrial fibrillation",
    "chronic kidney disease",
    "stroke",
    "epilepsy",
    "anemia",
    "migraine",
    "gout",
    "arthritis",
    "hypothyroidism",
    "tuberculosis",
    "hepatitis",
    "COPD",
    "depression",
    "eczema",
    "osteoporosis",
    "gallstones",
    "appendicitis",
    "influenza",
    "sepsis",
    "a urinary tract infection",
    "breast cancer",
]
DRUGS = [
    "aspirin",
    "metformin",
    "insulin",
    "penicillin",
    "amoxicillin",
    "warfarin",
    "heparin",
    "morphine",
    "ibuprofen",
    "paracetamol",
    "prednisone",
    "furosemide",
    "lisinopril",
    "atenolol",
    "digoxin",
    "omeprazole",
    "albuterol",
    "vancomycin",
    "codeine",
    "iron",
]
OBJECTS = [
    "apple",
    "book",
    "chair",
    "lamp",
    "cup",
    "key",
    "clock",
    "coat",
    "table",
    "shoe",
    "plate",
    "spoon",
    "letter",
    "basket",
    "candle",
    "hat",
    "box",
    "bottle",
    "blanket",
    "mirror",
    "pencil",
    "ladder",
    "bucket",
    "ring",
    "scarf",
    "pillow",
    "brush",
    "kettle",
    "knife",
    "jar",
    "map",
    "bell",
    "drum",
    "rope",
    "stone",
    "ticket",
    "wallet",
    "umbrella",
    "violin",
    "window",
]
COLOURS = ["red", "green", "blue", "yellow", "white", "black", "brown", "grey", "orange", "purple", "pink"]
PLACES = [
    "kitchen",
    "garden",
    "bedroom",
    "attic",
    "cellar",
    "market",
    "station",
    "library",
    "church",
    "school",
    "office",
    "harbour",
    "park",
    "bakery",
    "hospital",
    "theatre",
    "museum",
    "village",
    "farm",
    "shop",
]
ANIMALS = ["dog", "cat", "horse", "cow", "bird", "goat", "rabbit", "hen", "sheep", "duck", "mouse", "fox"]
FOODS = [
    "bread",
    "soup",
    "cheese",
    "rice",
    "cake",
    "fish",
    "tea",
    "coffee",
    "milk",
    "honey",
    "apples",
    "potatoes",
    "eggs",
    "butter",
    "jam",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
TOWNS = [
    "Paris",
    "London",
    "Rome",
    "Oslo",
    "Cairo",
    "Lima",
    "Delhi",
    "Tokyo",
    "Boston",
    "Vienna",
    "Madrid",
    "Dublin",
    "Prague",
    "Berlin",
    "Athens",
    "Lisbon",
    "Geneva",
    "Nairobi",
    "Sydney",
    "Toronto",
]
