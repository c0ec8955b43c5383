"""How text becomes numbers: train and run tokenizers, and measure what they cost."""
