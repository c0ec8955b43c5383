"""Clinical-style notes, written by a seeded generator: no patient, no case and no record stands behind them.

Three notes written by hand are too few to measure a rate on. These are as many as one likes, and the same for
the same seed on every machine: ``{word}`` takes from a list, ``[one|two|]`` one of its alternatives.

    >>> written(1, seed=3) == written(2, seed=3)[:1]
    True
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable

N_NOTES = 320  # what the chapter measures on

LISTS = {
    "disease": (
        "hypertension|hyperlipidemia|type 2 diabetes mellitus|paroxysmal atrial fibrillation|asthma|"
        "chronic kidney disease|hypothyroidism|osteoporosis|gastroesophageal reflux disease|migraine|"
        "rheumatoid arthritis|chronic obstructive pulmonary disease|coronary artery disease|gout|"
        "iron deficiency anemia|ulcerative colitis|obstructive sleep apnea|trigeminal neuralgia|"
        "heart failure with reduced ejection fraction|depression|anxiety|psoriasis|epilepsy|"
        "immune thrombocytopenia|systemic lupus erythematosus|hepatitis C|cirrhosis of the liver|"
        "Parkinson's disease|diverticulosis|peripheral arterial disease|lymphoma, in remission|"
        "nonalcoholic steatohepatitis|antiphospholipid syndrome|myasthenia gravis|sarcoidosis|ankylosing spondylitis|"
        "polycystic kidney disease|primary hyperparathyroidism|idiopathic pulmonary fibrosis|multiple myeloma|"
        "hidradenitis suppurativa|diabetic neuropathy|vitamin B12 deficiency|aortic stenosis|bronchiectasis|"
        "hypertriglyceridemia|hemochromatosis|schizoaffective disorder|celiac disease|glaucoma"
    ),
    "diagnosis": (
        "community-acquired pneumonia|acute decompensated heart failure|acute cholecystitis|cellulitis of the left leg|"
        "deep vein thrombosis of the right calf|pulmonary embolism|acute appendicitis|pyelonephritis|"
        "acute kidney injury, likely prerenal|diabetic ketoacidosis|gastrointestinal bleeding|"
        "thrombocytopenia of unknown cause|bacterial meningitis|acute pancreatitis|transient ischemic attack|"
        "exacerbation of chronic obstructive pulmonary disease|non-ST-elevation myocardial infarction|"
        "nephrolithiasis|hyponatremia, probably from the thiazide|viral gastroenteritis|herpes zoster|"
        "small bowel obstruction|cutaneous leishmaniasis|temporal arteritis|polymyalgia rheumatica|"
        "syncope, most likely vasovagal|urinary tract infection|infective endocarditis|septic arthritis of the knee"
    ),
    "complaint": (
        "chest pain|shortness of breath|a productive cough|fever and chills|pain in the right upper abdomen|"
        "a swollen and painful calf|burning on urination|dizziness when standing up|blurred vision|"
        "nausea and vomiting|black stools|a severe headache|palpitations|swelling of both ankles|"
        "pain in the lower back|a rash on the trunk|weakness of the left arm|joint pain and morning stiffness|"
        "loss of appetite and weight|numbness in both feet|a sore throat|flank pain|fatigue and pallor"
    ),
    "denied": (
        "fever|chest pain|dyspnea|recent travel|sick contacts|trauma|hematuria|weight loss|night sweats|"
        "headache|abdominal pain|palpitations|use of blood thinners|hemoptysis|melena|dysuria"
    ),
    "course": (
        "for three days|since yesterday evening|for about two weeks|of sudden onset this morning|"
        "getting worse over the last month|on and off since spring|after lifting a heavy box|since last night"
    ),
    "drug": (
        "metformin 500 mg twice daily|lisinopril 10 mg daily|atorvastatin 40 mg at night|apixaban 5 mg twice daily|"
        "furosemide 40 mg every morning|levothyroxine 75 mcg before breakfast|metoprolol 50 mg twice daily|"
        "omeprazole 20 mg daily|amlodipine 5 mg daily|aspirin 81 mg daily|prednisone 20 mg daily|"
        "insulin glargine 18 units at bedtime|albuterol as needed|sertraline 50 mg daily|allopurinol 100 mg daily|"
        "methotrexate 15 mg once a week|levetiracetam 500 mg twice daily|ramipril 5 mg daily|"
        "hydrochlorothiazide 25 mg daily|acetaminophen 1 g up to four times a day|warfarin per INR|"
        "gabapentin 300 mg three times daily|rivaroxaban 20 mg with dinner|spironolactone 25 mg daily|"
        "empagliflozin 10 mg daily|sacubitril-valsartan 24/26 mg twice daily|clopidogrel 75 mg daily|"
        "rosuvastatin 20 mg nightly|carvedilol 12.5 mg BID|pantoprazole 40 mg daily|escitalopram 10 mg daily|"
        "hydroxychloroquine 200 mg BID|mycophenolate mofetil 1 g BID|tiotropium 18 mcg inhaled daily|"
        "fluticasone-salmeterol 250/50 mcg BID|semaglutide 0.5 mg SC weekly|lamotrigine 100 mg BID|"
        "quetiapine 50 mg qHS|colchicine 0.6 mg PRN|ferrous sulfate 325 mg every other day|cholecalciferol 1,000 IU"
    ),
    "given": (
        "intravenous ceftriaxone|intravenous fluids|piperacillin-tazobactam|oxygen by nasal cannula|unfractionated heparin|"
        "oral amoxicillin-clavulanate|intravenous furosemide|pantoprazole|doxycycline|vancomycin|nebulized ipratropium|"
        "potassium chloride|valacyclovir|ondansetron|enoxaparin|methylprednisolone|insulin by sliding scale"
    ),
    "finding": (
        "The lungs are clear|There are crackles at both bases|The heart is regular without murmurs|"
        "There is a systolic murmur at the apex|The abdomen is soft and not tender|"
        "There is tenderness in the right lower quadrant without rebound|There is pitting edema up to the knees|"
        "The left calf is warm, red and tender|Cranial nerves are intact|Strength is 4/5 in the left arm|"
        "There is scleral icterus|The throat is red without exudate|There are petechiae on both legs|"
        "The neck is supple|Bowel sounds are present|There is costovertebral angle tenderness on the right|"
        "The joints of the hands are swollen|There is no lymphadenopathy|The wound is clean and dry"
    ),
    "lab": (
        "hemoglobin {hb}.{digit} g/dL|white count {10s}.{digit}|platelets {100s}|creatinine 1.{digit} mg/dL|"
        "potassium 3.{digit} mmol/L|sodium 13{digit}|CRP {100s} mg/L|troponin negative|lactate 2.{digit}|"
        "hemoglobin A1c 7.{digit}%|INR 2.{digit}|lipase {100s} U/L|bilirubin 1.{digit}|TSH 4.{digit}|D-dimer elevated|"
        "urinalysis with leukocyte esterase and nitrites|ferritin {10s} ng/mL|BUN {10s}|glucose {100s} mg/dL|"
        "NT-proBNP 2,{100s} pg/mL|blood cultures pending"
    ),
    "imaging": (
        "Chest X-ray shows an infiltrate in the right lower lobe|Chest X-ray without infiltrate or effusion|"
        "CT of the abdomen shows no acute process|Ultrasound shows gallstones and a thickened wall|"
        "ECG with sinus tachycardia, no ST changes|ECG shows atrial fibrillation with a rapid ventricular response|"
        "Echocardiogram with an ejection fraction of 3{digit}%|CT angiography shows a segmental embolus|"
        "MRI of the brain without acute infarction|Duplex ultrasound confirms a popliteal thrombus|"
        "X-ray of the hip shows no fracture|CT head negative for hemorrhage"
    ),
    "plan": (
        "Admit to telemetry|Recheck electrolytes in the morning|Consult {service}|Hold lisinopril until creatinine improves|"
        "Follow up with the family doctor in one week|Repeat chest X-ray in six weeks|Switch to oral antibiotics tomorrow|"
        "Daily weights and strict intake and output|Continue home medications|Return if fever or pain gets worse|"
        "Physical therapy for gait and balance|Discharge home with her daughter if stable|Low-salt diet|"
        "Check a lipid panel and liver enzymes|Start {given}|Colonoscopy as an outpatient|Keep nothing by mouth|"
        "Discussed the risks and benefits with the patient, who agrees|Wean oxygen as tolerated"
    ),
    "service": "cardiology|nephrology|general surgery|gastroenterology|infectious diseases|neurology|hematology|rheumatology",
    "age": "19|24|28|31|36|39|42|45|48|51|53|56|58|61|63|64|66|68|70|72|74|75|77|79|81|83|85|88|91",
    "sex": "man|woman",
    "allergy": "No known drug allergies|Allergic to penicillin|Allergic to sulfa drugs (rash)|No allergies",
    "social": (
        "Lives alone, walks with a cane|Former smoker, quit ten years ago|Works as a teacher|Smokes half a pack a day|"
        "Drinks a glass of wine on weekends|Retired farmer, lives with his wife|Does not smoke or drink"
    ),
    "digit": "0|1|2|3|4|5|6|7|8|9",
    "hb": "7|8|9|10|11|12|13|14|15",
    "10s": "8|9|10|11|12|13|14|15|17|19|22|27",
    "100s": "104|118|132|146|168|187|203|214|246|289|310|342",
    "bp": "96/58|104/62|112/70|118/74|124/78|132/80|138/84|146/88|152/90|164/96",
    "pulse": "58|64|72|78|84|88|92|98|104|112|120",
    "temp": "36.4|36.7|36.9|37.2|37.8|38.1|38.4|38.9|39.2",
}  # fmt: skip

NOTES = (
    "[Progress note|Daily note]. Hospital day {digit}. The patient is a {age}-year-old {sex} with {disease}, {disease} and "
    "{disease}, admitted with {complaint} {course}. [Overnight no events|Slept well|Had more pain overnight]. {finding}. "
    "{finding}. Blood pressure {bp} mmHg, heart rate {pulse}, temperature {temp}. Laboratory results: {lab}, {lab}, {lab}, "
    "{lab}. {imaging}. Assessment: {diagnosis}[, improving|, stable|], with concomitant {disease}. Plan: {given}, continue "
    "{drug} and {drug}. {plan}. {plan}.",
    "ED note. CC: {complaint}. HPI: {age}-year-old {sex} presents with {complaint} {course}. Denies {denied}, {denied} and "
    "{denied}. PMH: {disease}, {disease}, {disease}, {disease}. Meds: {drug}, {drug}, {drug}, {drug}. {allergy}. "
    "Vitals: BP {bp}, HR {pulse}, T {temp}. {finding}. {finding}. {imaging}. Labs: {lab}, {lab}, {lab}. "
    "Impression: {diagnosis}, r/o {diagnosis}. Given {given}[ with relief| and {given}|]. {plan}. {plan}.",
    "Discharge summary. The patient, a {age}-year-old {sex}, was admitted for {diagnosis}. History is notable for {disease}, "
    "{disease}, {disease} and {disease}. On admission there was {complaint} {course}; {lab}, {lab} and {lab}. {imaging}. "
    "The patient was treated with {given} and {given} and [improved slowly|did well|felt better within two days]. "
    "Discharge medications: {drug}; {drug}; {drug}; {drug}; {drug}; {drug}. {allergy}. {plan}. {plan}.",
    "Clinic visit. {age}-year-old {sex} seen for {disease}. Feels [well|tired|about the same] and reports {complaint} {course}. "
    "No {denied} or {denied}. {social}. Takes {drug}, {drug} and {drug}. On examination BP {bp}, pulse {pulse}. {finding}. "
    "{finding}. Labs: {lab}, {lab}, {lab}. Assessment: {disease}, [well controlled|not at goal|stable]; {disease}; possible "
    "{diagnosis}. Plan: {plan}. {plan}.",
    "Consult note, {service}. Asked to see this {age}-year-old {sex} with {disease}, {disease} and {disease} because of "
    "{complaint} {course}. {social}. {finding}. {finding}. {finding}. Pertinent data: {lab}, {lab}, {lab}, {lab}. {imaging}. "
    "We think {diagnosis} is most likely[, although {diagnosis} cannot be excluded|, given the history|]. "
    "Recommend {given}. {plan}. {plan}. Thank you for this consult.",
)  # fmt: skip

_SLOT = re.compile(r"\{(\w+)\}|\[([^\[\]]*)\]")


@functools.cache
def written(n: int = N_NOTES, seed: int = 1) -> tuple[str, ...]:
    """So many notes.

    Args:
        n: How many.
        seed: Another one gives another sample.
    """
    chance = random.Random(seed).random  # of all that Python draws with, what it promises to keep

    def choose(options: str) -> str:
        split = options.split("|")
        return split[int(chance() * len(split))]

    return tuple(_filled(NOTES[int(chance() * len(NOTES))], choose) for _ in range(n))


def _filled(template: str, choose: Callable[[str], str]) -> str:
    """Fills a template; what was said once in a note is not said again."""
    said: set[str] = set()

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return _SLOT.sub(fill, choose(match[2]))
        options = LISTS[match[1]]
        if match[1] in ("digit", "hb", "10s", "100s"):
            return choose(options)
        chosen = choose("|".join(o for o in options.split("|") if o not in said) or options)
        said.add(chosen)
        return _SLOT.sub(fill, chosen)

    return _SLOT.sub(fill, template)
