//! all-MiniLM-L6-v2, computed in this process.
