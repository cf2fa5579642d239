"""A journey with a client of openapi-python-client."""
import json
import os

from eshop_client import AuthenticatedClient, models
from eshop_client.api.change_feed import list_changes
from eshop_client.api.customers import change_customer, create_customer, delete_customer, read_customer
from eshop_client.api.products import change_products_stock, list_products
from eshop_client.api.webhooks import create_receiver, list_deliveries, read_delivery
from eshop_client.models import (BatchReport, BatchStock, BatchStockItem, Customer, CustomerNew, CustomerPatch, ListChangesTypesItem, Problem,
                                 WebhookReceiver, WebhookReceiverNew)
from eshop_client.types import UNSET

client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["TOKEN"])

customer = create_customer.sync(client=client, idempotency_key="python-1", body=CustomerNew(
    email="python@example.cz", first_name="Jana", last_name="Nováková", phone="+420 601 123 456"))
assert isinstance(customer, Customer), customer

changed = change_customer.sync(customer.id, client=client, body=CustomerPatch(phone=None))
assert isinstance(changed, Customer) and changed.phone is UNSET, changed

products = list_products.sync(client=client, items_per_page=2)
report = change_products_stock.sync(client=client, body=BatchStock(items=[BatchStockItem(id=products.items[0].id, quantity=9)]))
assert isinstance(report, BatchReport) and report.results[0].status != "failed", report

feed = list_changes.sync(client=client, types=[ListChangesTypesItem.CUSTOMERS], from_=customer.created)
assert any(c.id == customer.id for c in feed.items), feed

nobody = read_customer.sync("01KYFXV0000000000000000000", client=client)
assert isinstance(nobody, Problem) and nobody.code == "not_found", nobody

receiver = create_receiver.sync(client=client, body=WebhookReceiverNew(url=os.environ["HOOK"]))
assert isinstance(receiver, WebhookReceiver), receiver
for delivery in list_deliveries.sync(client=client).items:
    whole = read_delivery.sync(delivery.id, client=client)
    assert whole.body["event"] == "ping" and whole.body["data"]["nonce"], whole

with open("unheard.json") as file:
    for name, value in json.load(file).items():
        read = getattr(models, name).from_dict(value).to_dict()
        assert str(read).count("unheard_of") == str(value).count("unheard_of"), read

assert delete_customer.sync_detailed(customer.id, client=client).status_code == 204
print("done")
