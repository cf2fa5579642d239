import java.io.File;
import java.util.List;
import java.util.Set;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.ChangeFeedApi;
import org.openapitools.client.api.CustomersApi;
import org.openapitools.client.api.ProductsApi;
import org.openapitools.client.model.BatchStock;
import org.openapitools.client.model.BatchStockItem;
import org.openapitools.client.model.CustomerNew;
import org.openapitools.client.model.CustomerPatch;
import org.openapitools.client.model.Problem;

/** A journey with a client of openapi-generator's java, library native. */
public class Journey {
  static void wants(String what, boolean is) {
    if (!is) throw new IllegalStateException(what);
  }

  public static void main(String[] args) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    var customers = new CustomersApi(client);
    var products = new ProductsApi(client);

    var customer = customers.createCustomer(new CustomerNew().email("java@example.cz").firstName("Jana")
        .lastName("Nováková").phone("+420 601 123 456"), "java-1", null, null);
    var changed = customers.changeCustomer(customer.getId(), new CustomerPatch().phone(null), null, null, null, null);
    wants("null clears", customer.getPhone() != null && changed.getPhone() == null);

    var page = products.listProducts(2L, null, null, null, null, null, null, null, null, null, null, null, null).getItems();
    wants("two products", page.size() == 2);
    var batch = new BatchStock().addItemsItem(new BatchStockItem().id(page.get(0).getId()).quantity(9L));
    var report = products.changeProductsStock(batch, null, null, null, null, null);
    wants("a stock", !report.getResults().get(0).getStatus().equals("failed"));

    var feed = new ChangeFeedApi(client).listChanges(null, null, List.of("customers"), customer.getCreated(), null, null);
    wants("the customer in the feed", feed.getItems().stream().anyMatch(c -> c.getId().equals(customer.getId())));

    try {
      customers.readCustomer("01KYFXV0000000000000000000", null, null, null, null);
      wants("a problem", false);
    } catch (ApiException e) {
      var problem = JSON.getDefault().getMapper().readValue(e.getResponseBody(), Problem.class);
      wants("a problem with its code", e.getCode() == 404 && problem.getCode().equals("not_found"));
    }

    var mapper = JSON.getDefault().getMapper();
    for (var value : mapper.readTree(new File("unheard.json")).properties()) {
      // The generator writes Model before a name that is a word of Java's.
      var name = Set.of("Import", "Package").contains(value.getKey()) ? "Model" + value.getKey() : value.getKey();
      var type = Class.forName("org.openapitools.client.model." + name);
      var read = mapper.writeValueAsString(mapper.treeToValue(value.getValue(), type));
      wants(value.getKey() + " with words not heard of: " + read,
          read.split("unheard_of").length == value.getValue().toString().split("unheard_of").length);
    }

    wants("its end", customers.deleteCustomerWithHttpInfo(customer.getId(), null, null, null, null).getStatusCode() == 204);
    System.out.println("done");
  }
}
