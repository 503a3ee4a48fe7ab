"""Languages of the workbench: who reads which, formats of each, and the catalogues of translations."""
