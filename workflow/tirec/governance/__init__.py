"""Who may receive rows of which data: credentialed rows stay on this machine or cluster."""
