<?php
// Keeps a copy of a shop's products in a file, of nothing but PHP 8 itself:
//
//   BASE="https://…" TOKEN="esk_…" php sync.php products.json
//
// The first run takes an export, each later one what has changed since. One run at a time: it ends when all is there.

// A warning ends the program as an error does: the next run goes on from the last page that was saved.
set_error_handler(fn(int $kind, string $text) => throw new ErrorException($text));

// call calls the platform, again after 429 and 5xx, and returns the status and what was answered. One status beside 2xx
// may be expected; any other ends the program.
function call(string $path, string $body = '', int $expected = 0): array
{
    $headers = ['Authorization: Bearer ' . getenv('TOKEN')];
    if ($body !== '') {
        $headers[] = 'Content-Type: application/json';
        $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16)); // a repeated POST begins no second export
    }
    $http = ['method' => $body === '' ? 'GET' : 'POST', 'header' => $headers, 'content' => $body, 'timeout' => 60,
        'ignore_errors' => true, 'follow_location' => 0];
    for ($attempt = 1; ; $attempt++) {
        $answer = fopen(getenv('BASE') . $path, 'r', false, stream_context_create(['http' => $http]));
        [$head, $text] = [stream_get_meta_data($answer)['wrapper_data'], stream_get_contents($answer)];
        $status = (int) explode(' ', $head[0])[1];
        if ($status < 300 || $status === $expected) {
            return [$status, json_decode($text, flags: JSON_THROW_ON_ERROR)];
        }
        if ($status !== 429 && $status < 500 || $attempt === 10) {
            throw new Exception("$path: $status $text");
        }
        sleep(max(1, ...array_map(fn($line) => (int) substr($line, 12), preg_grep('/^Retry-After:/i', $head))));
    }
}

// begin fills the copy from an export and returns where the feed goes on from: a minute before the export was asked
// for, because what changes from then on may be in the file as it was before, or not at all.
function begin(array &$products): string
{
    [, $export] = call('/api-engine/exports', '{"type":"products","format":"jsonl"}');
    while ($export->state !== 'done') {
        if ($export->state === 'failed') {
            throw new Exception('the export failed: ' . json_encode($export->error));
        }
        sleep(1);
        [, $export] = call('/api-engine/exports/' . $export->id);
    }
    [$all, $rows] = [[], 0];
    $file = fopen($export->downloadUrl, 'r'); // without the token: this leads to another host
    for (; ($line = fgets($file)) !== false; $rows++) {
        $product = json_decode($line, flags: JSON_THROW_ON_ERROR);
        $all[$product->id] = $product; // one that is there twice is newer the second time
    }
    if ($rows !== $export->rows) {
        throw new Exception("$rows of $export->rows lines came");
    }
    $products = $all;
    return 'types=products&from=' . gmdate('Y-m-d\TH:i:s\Z', strtotime($export->created) - 60);
}

// apply brings the copy up to a page of the feed. What the feed names is fetched as it is now, so once is enough.
function apply(array &$products, array $page): void
{
    $newest = [];
    foreach ($page as $entry) {
        if ($entry->at >= ($newest[$entry->id]->at ?? '')) {
            $newest[$entry->id] = $entry;
        }
    }
    foreach ($newest as $id => $entry) {
        $deleted = $entry->change === 'deleted';
        if (!$deleted && ($products[$id]->changed ?? '') >= $entry->at) {
            continue; // the copy knows
        }
        [$status, $product] = $deleted ? [404, null] : call('/api-engine/products/' . $id, expected: 404);
        if ($status === 404) {
            unset($products[$id]);
        } else {
            $products[$id] = $product;
        }
    }
}

$name = $argv[1] ?? 'products.json';
// What the file holds. Yours belongs into your database: a page and its cursor in one transaction.
$shop = file_exists($name) ? json_decode(file_get_contents($name), flags: JSON_THROW_ON_ERROR) : null;
[$cursor, $products] = [$shop->cursor ?? '', (array) ($shop->products ?? [])];
while (true) {
    $changes = '/api-engine/changes?itemsPerPage=250&';
    [$status, $page] = $cursor === '' ? [410, null] : call($changes . 'cursor=' . $cursor, expected: 410);
    if ($status === 410) { // no cursor, or feed_expired: the copy begins anew
        [, $page] = call($changes . begin($products));
    }
    if (!$page->items && $page->nextCursor === $cursor) {
        break; // there is nothing newer
    }
    apply($products, $page->items);
    $cursor = $page->nextCursor;
    // A crash leaves the old file or the new one; what a run does again does no harm.
    $flags = JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION;
    file_put_contents("$name.new", json_encode(['cursor' => $cursor, 'products' => (object) $products], $flags));
    rename("$name.new", $name);
}
echo count($products), " products\n";
