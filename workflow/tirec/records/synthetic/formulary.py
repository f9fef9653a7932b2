"""What is ordered: medications and bedside orders by intensity of treatment, as small typed tables."""

from typing import NamedTuple


class Item(NamedTuple):
    """One orderable with its code; `kind` is the Order_type of orders.csv."""

    name: str
    code: str
    kind: str = "Medication"


SYMPTOMATIC: tuple[Item, ...] = (
    Item("ACETAMINOPHEN 500 MG PO TABS", "101483"),
    Item("IBUPROFEN 600 MG PO TABS", "3843"),
    Item("ONDANSETRON 4 MG PO TBDP", "27697"),
    Item("LIDOCAINE 4 % TD PTMD", "197896"),
    Item("CYCLOBENZAPRINE 10 MG PO TABS", "2017"),
    Item("FAMOTIDINE 20 MG PO TABS", "10011"),
    Item("ALUM-MAG HYDROXIDE-SIMETH 200-200-20 MG/5 ML PO SUSP", "9006"),
    Item("DIPHENHYDRAMINE 25 MG PO CAPS", "2506"),
)
"""Given in every kind of visit; says nothing about where the patient goes."""
PARENTERAL: tuple[Item, ...] = (
    Item("LR IV BOLUS - 1000 ML", "400518"),
    Item("SODIUM CHLORIDE 0.9 % IV BOLUS - 1000 ML", "400519"),
    Item("MORPHINE 4 MG/ML INJ SOLN", "5178"),
    Item("HYDROMORPHONE 1 MG/ML INJ SOLN", "3758"),
    Item("ONDANSETRON 4 MG/2 ML INJ SOLN", "27698"),
    Item("KETOROLAC 15 MG/ML INJ SOLN", "7033"),
    Item("METOCLOPRAMIDE 5 MG/ML INJ SOLN", "5003"),
)
"""Treatment through a vein: level 1 and above."""
INTENSIVE: tuple[Item, ...] = (
    Item("CEFTRIAXONE 1 GRAM IV SOLR", "1622"),
    Item("PIPERACILLIN-TAZOBACTAM 4.5 GRAM IV SOLR", "18302"),
    Item("VANCOMYCIN 1 GRAM IV SOLR", "8443"),
    Item("HEPARIN (PORCINE) 5,000 UNIT/ML INJ SOLN", "3540"),
    Item("INSULIN REGULAR 100 UNIT/ML IV INFUSION", "400633"),
    Item("DILTIAZEM 5 MG/ML IV SOLN", "2340"),
    Item("NITROGLYCERIN 50 MG/250 ML IV SOLP", "12013"),
    Item("IPRATROPIUM-ALBUTEROL 0.5-2.5 MG/3 ML INH NEBU", "29498"),
    Item("POTASSIUM CHLORIDE 10 MEQ/100 ML IV PGBK", "6400"),
    Item("CONTINUOUS CARDIAC MONITORING", "NUR515", "Nursing"),
    Item("CONSULT TO CARDIOLOGY", "CON12", "Consult"),
    Item("CONSULT TO INTENSIVE CARE", "CON31", "Consult"),
    Item("ECG 12-LEAD, REPEAT", "ECG2", "ECG"),
)
"""Antibiotics, infusions, cardiac work-up, consults: level 2."""
ROUTINE: tuple[Item, ...] = (
    Item("VITAL SIGNS", "NUR11", "Nursing"),
    Item("SALINE LOCK IV", "NUR40", "Nursing"),
    Item("NURSING COMMUNICATION", "NUR300", "Nursing"),
    Item("CHECK GLUCOSE BY METER", "NUR12", "Nursing"),
    Item("ECG 12-LEAD", "ECG1", "ECG"),
    Item("CONSULT TO SOCIAL WORK", "CON77", "Consult"),
)
"""Bedside routine of any visit."""
ADMISSION: tuple[Item, ...] = (
    Item("ADMIT TO INPATIENT", "ADT1", "Admission"),
    Item("BED REQUEST", "ADT5", "Admission"),
)
OBSERVATION: tuple[Item, ...] = (
    Item("PLACE IN OBSERVATION STATUS", "ADT3", "Admission"),
    Item("BED REQUEST", "ADT5", "Admission"),
)
DISCHARGE: tuple[Item, ...] = (
    Item("DISCHARGE PATIENT", "ADT9", "Discharge"),
    Item("ED DISCHARGE INSTRUCTIONS", "NUR990", "Discharge"),
)
