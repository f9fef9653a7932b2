"""Clinical vocabularies as plain tables: which names mean what."""
