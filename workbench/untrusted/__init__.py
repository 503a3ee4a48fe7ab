"""Values that anybody may have sent, made safe: for a database, a form, a spreadsheet, or to be unpacked."""
