"""What a chapter page is made of besides its figures; nothing here needs marimo."""
