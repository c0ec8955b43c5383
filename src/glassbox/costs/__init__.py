"""What a model and a GPU can do and what that costs."""
