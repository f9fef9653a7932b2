"""Short names of the clinical functions for figures."""

SHORT = {
    "demographics": "Demographics",
    "triage": "Triage",
    "heart_rate": "HR",
    "blood_pressure": "BP",
    "oxygen_saturation": "SpO2",
    "respiratory_rate": "RR",
    "temperature": "Temp",
    "labs": "Labs",
    "orders": "Orders",
    "imaging": "Imaging",
    "history": "History",
    "waveforms": "Waveforms",
    "vital_sign_values": "Vital values",
    "lab_values": "Lab values",
    "order_list": "Order list",
    "radiology_reports": "Reports",
    "prior_diagnoses": "Diagnoses",
    "home_medications": "Medications",
}
