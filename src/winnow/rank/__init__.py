"""From words and signals to an order: terms of texts, BM25, fusion, diversity."""
