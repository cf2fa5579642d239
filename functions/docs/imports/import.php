<?php
// Brings a file of products into a shop, of nothing but PHP 8 itself:
//
//   BASE="https://…" TOKEN="esk_…" php import.php products.csv
//
// Shows what was wrong with which row, and ends with 0 when all rows are in. Run again, it changes what differs.

// send makes a request, again after 429, 5xx and what broke off, and returns the status, what was answered, and how
// often it tried.
function send(string $method, string $url, array $headers, string $content): array
{
    $http = ['method' => $method, 'header' => $headers, 'content' => $content, 'timeout' => 60, 'ignore_errors' => true];
    for ($attempt = 1; ; $attempt++) {
        [$head, $text] = [['HTTP/1.1 0'], 'no answer'];
        if ($answer = @fopen($url, 'r', false, stream_context_create(['http' => $http]))) {
            [$head, $text] = [stream_get_meta_data($answer)['wrapper_data'], stream_get_contents($answer)];
        }
        $status = (int) explode(' ', $head[0])[1];
        if ($status > 0 && $status < 500 && $status !== 429 || $attempt === 10) {
            return [$status, $text, $attempt];
        }
        sleep(max(1, ...array_map(fn($line) => (int) substr($line, 12), preg_grep('/^Retry-After:/i', $head))));
    }
}

// call calls the platform and returns its answer. What it refuses ends the program.
function call(string $path, string $body = ''): object
{
    $headers = ['Authorization: Bearer ' . getenv('TOKEN')];
    if ($body !== '') {
        $headers[] = 'Content-Type: application/json';
        $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16)); // a repeated POST begins no second import
    }
    [$status, $text] = send($body === '' ? 'GET' : 'POST', getenv('BASE') . $path, $headers, $body);
    if ($status < 200 || $status > 299) {
        throw new Exception("$path: $status $text");
    }
    return json_decode($text, flags: JSON_THROW_ON_ERROR);
}

$file = $argv[1];
$format = str_ends_with($file, '.jsonl') ? 'jsonl' : 'csv';
$made = call('/api-engine/imports', json_encode(['type' => 'products', 'format' => $format, 'mode' => 'upsert']));
$path = '/api-engine/imports/' . $made->id;
// The file goes without the token. 403 of a later try: it had come, and only the answer was lost.
[$status, $text, $tries] = send('PUT', $made->uploadUrl, ['Content-Type: text/plain'], file_get_contents($file));
if (($status < 200 || $status > 299) && !($status === 403 && $tries > 1)) {
    throw new Exception("the file: $status $text");
}
while ($made->state !== 'done' && $made->state !== 'failed') {
    sleep(1);
    $made = call($path);
}
for ($query = '?itemsPerPage=250'; $query !== ''; $query = isset($page->nextCursor) ? "?cursor=$page->nextCursor" : '') {
    $page = call("$path/errors$query");
    foreach ($page->items as $error) {
        echo "row $error->row: ", $error->location ?? '', " $error->message\n";
    }
}
echo $made->state, ' ', json_encode($made->rows), "\n";
exit($made->state === 'failed' || $made->rows->failed > 0 ? 1 : 0);
