<?php
// Keeps the names of products the same in a file and in a shop, of nothing but PHP 8 itself:
//
//   BASE="https://…" TOKEN="esk_…" php both.php names.json
//
// Who changes a name in the file puts the product's id into "changed". One run at a time.

set_error_handler(fn(int $kind, string $text) => throw new ErrorException($text));

$file = $argv[1] ?? 'names.json';
$ours = file_exists($file) ? json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR)
    : ['cursor' => '', 'names' => [], 'changed' => []];

function save(string $file, array $ours): void
{
    $ours['names'] = (object) $ours['names'];
    file_put_contents("$file.new", json_encode($ours, JSON_THROW_ON_ERROR));
    rename("$file.new", $file);
}

// call calls the platform, again after 429 and 5xx, and returns what was answered: nothing of a product that is gone.
function call(string $path, ?array $body = null): ?object
{
    $http = ['method' => $body ? 'PATCH' : 'GET', 'content' => $body ? json_encode($body, JSON_THROW_ON_ERROR) : '',
        'header' => ['Authorization: Bearer ' . getenv('TOKEN'), 'Content-Type: application/json'], 'timeout' => 60,
        'ignore_errors' => true, 'follow_location' => 0];
    for ($attempt = 1; ; $attempt++) {
        $answer = fopen(getenv('BASE') . $path, 'r', false, stream_context_create(['http' => $http]));
        [$head, $text] = [stream_get_meta_data($answer)['wrapper_data'], stream_get_contents($answer)];
        $status = (int) explode(' ', $head[0])[1];
        if ($status < 300) {
            return json_decode($text, flags: JSON_THROW_ON_ERROR);
        }
        if ($status === 404) {
            return null;
        }
        if ($status !== 429 && $status < 500 || $attempt === 10) {
            throw new Exception("$path: $status $text");
        }
        sleep(max(1, ...array_map(fn($line) => (int) substr($line, 12), preg_grep('/^Retry-After:/i', $head))));
    }
}

// Ours first: where both sides have changed a name, the file's holds.
while ($ours['changed']) {
    $id = $ours['changed'][0];
    call('/api-engine/products/' . $id, ['name' => $ours['names'][$id]]);
    array_shift($ours['changed']);
    save($file, $ours);
}

// Then theirs, as it is now. What we did ourselves is an echo. A name that comes from there is not "changed" here.
while (true) {
    $from = $ours['cursor'] === '' ? 'types=products&itemsPerPage=250' : 'cursor=' . $ours['cursor'];
    $page = call('/api-engine/changes?' . $from);
    $theirs = array_filter($page->items, fn($entry) => $entry->by !== 'self');
    foreach (array_unique(array_column($theirs, 'id')) as $id) {
        $product = call('/api-engine/products/' . $id);
        if ($product === null) {
            unset($ours['names'][$id]);
        } else {
            $ours['names'][$id] = $product->name;
        }
    }
    if (!$page->items && $page->nextCursor === $ours['cursor']) {
        break;
    }
    $ours['cursor'] = $page->nextCursor;
    save($file, $ours);
}
