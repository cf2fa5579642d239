<?php
// A receiver of webhooks, of nothing but PHP 8 itself:
//
//   WEBHOOK_KEYS="whsec_…" php -S 127.0.0.1:8090 receiver.php
//
// WEBHOOK_KEYS holds one signing key, or two while you rotate. Put it behind a server that speaks https.

namespace Webhooks;

// genuine says whether one of these keys signed this body within the last five minutes.
function genuine(string $keys, string $stamp, string $given, string $body): bool
{
    if (!preg_match('/^\d+$/D', $stamp) || abs(time() - (int) $stamp) > 300) {
        return false;
    }
    foreach (preg_split('/\s+/', $keys, -1, PREG_SPLIT_NO_EMPTY) as $text) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $text)); // the 32 bytes that sign
        if (strlen($key) === 32 && hash_equals('sha256=' . hash_hmac('sha256', $stamp . '.' . $body, $key), $given)) {
            return true;
        }
    }
    return false;
}

// take hands a webhook on, unless that was done before, and says whether it could. Each id has a file, in which
// something is written only then, so that after a failure it comes again. Yours belong into your database, with a
// unique index, for 40 days.
function take(array $hook): bool
{
    $folder = getenv('WEBHOOK_SEEN') ?: sys_get_temp_dir() . '/webhooks';
    is_dir($folder) || @mkdir($folder, 0700, true);
    $file = @fopen($folder . '/' . hash('sha256', $hook['id']), 'c');
    if (!$file || !flock($file, LOCK_EX)) {
        return false;
    }
    if (fstat($file)['size'] > 0) {
        return true;
    }
    // Put it into a queue of your own here: answer, then do the work.
    $line = $hook['event'] . ' ' . $hook['id'] . ' ' . json_encode($hook['data']) . "\n";
    return @file_put_contents('php://stderr', $line) === strlen($line) && @fwrite($file, 'taken') && fflush($file);
}

// receive answers a webhook with a status and a text, from its timestamp, its signature and its raw body.
function receive(string $keys, string $stamp, string $given, string $body): array
{
    if (!genuine($keys, $stamp, $given, $body)) {
        return [401, 'not signed by the platform'];
    }
    $hook = json_decode($body, true);
    if ($hook['event'] === 'ping') {
        return [200, $hook['data']['nonce']]; // proves that this address is yours
    }
    return take($hook) ? [204, ''] : [500, 'cannot be taken now'];
}

// A framework includes this file, and calls receive.
if (!debug_backtrace()) {
    [$status, $text] = receive(
        getenv('WEBHOOK_KEYS') ?: '',
        $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '',
        $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '',
        file_get_contents('php://input', false, null, 0, 1 << 20), // the raw bytes, never parsed and written anew
    );
    http_response_code($status);
    echo $text;
}
