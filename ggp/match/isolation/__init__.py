"""Players in processes of their own, so that their failures do not affect the caller."""
