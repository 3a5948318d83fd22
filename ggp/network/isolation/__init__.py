"""Players in processes of their own: whatever they do, whoever asks them goes on."""
