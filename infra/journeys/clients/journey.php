<?php
// A journey with a client of openapi-generator's php, over guzzle as Debian packages it.
use OpenAPI\Client\Api\{ChangeFeedApi, CustomersApi, ProductsApi};
use OpenAPI\Client\{ApiException, Configuration, ObjectSerializer};
use OpenAPI\Client\Model\{BatchStock, BatchStockItem, CustomerNew, CustomerPatch, Problem};

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    require __DIR__ . '/php/lib/' . strtr(substr($class, strlen('OpenAPI\\Client\\')), '\\', '/') . '.php';
});

// Whatever PHP complains of in the client ends the journey, and all files of it are compiled.
set_error_handler(function (int $level, string $what, string $file, int $line): bool {
    throw new ErrorException($what, 0, $level, $file, $line);
});
foreach (array_merge(glob(__DIR__ . '/php/lib/*.php'), glob(__DIR__ . '/php/lib/*/*.php')) as $file) {
    require_once $file;
}

function wants(string $what, bool $is): void
{
    if (!$is) {
        throw new RuntimeException($what);
    }
}

$config = (new Configuration())->setHost(getenv('BASE'))->setAccessToken(getenv('TOKEN'));
[$customers, $products, $changes] = [new CustomersApi(null, $config), new ProductsApi(null, $config), new ChangeFeedApi(null, $config)];

$customer = $customers->createCustomer(new CustomerNew(['email' => 'php@example.cz', 'first_name' => 'Jana',
    'last_name' => 'Nováková', 'phone' => '+420 601 123 456']), 'php-1');
$changed = $customers->changeCustomer($customer->getId(), (new CustomerPatch())->setPhone(null));
wants('null clears', $customer->getPhone() !== null && $changed->getPhone() === null);

$page = $products->listProducts(2)->getItems();
wants('two products', count($page) === 2);
$report = $products->changeProductsStock(new BatchStock(['items' => [new BatchStockItem(['id' => $page[0]->getId(), 'quantity' => 9])]]));
wants('a stock', $report->getResults()[0]->getStatus() !== 'failed');

// A time in a query is text: the generator declares a DateTime, and writes one as a list of its fields.
$feed = $changes->listChanges(null, null, ['customers'], $customer->getCreated()->format(DATE_RFC3339_EXTENDED));
wants('the customer in the feed', in_array($customer->getId(), array_map(fn ($c) => $c->getId(), $feed->getItems()), true));

try {
    $customers->readCustomer('01KYFXV0000000000000000000');
    wants('a problem', false);
} catch (ApiException $e) {
    $problem = $e->getResponseObject();
    wants('a problem with its code', $problem instanceof Problem && $problem->getCode() === 'not_found');
}

foreach (json_decode(file_get_contents('unheard.json')) as $name => $value) {
    $read = json_encode(ObjectSerializer::sanitizeForSerialization(ObjectSerializer::deserialize($value, 'OpenAPI\\Client\\Model\\' . $name)));
    wants("$name with words not heard of: $read", substr_count($read, 'unheard_of') === substr_count(json_encode($value), 'unheard_of'));
}

wants('its end', $customers->deleteCustomerWithHttpInfo($customer->getId())[1] === 204);
echo "done\n";
