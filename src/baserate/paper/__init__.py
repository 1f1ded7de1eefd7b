"""The paper's tables and figures, computed by the library and written as HTML, LaTeX and PNG."""
