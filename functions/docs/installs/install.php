<?php
// Gets an add-on its token on each shop that activates its package, from what comes to systemUrl. Beside receiver.php:
//
//   WEBHOOK_KEYS="whsec_…" BASE="https://…" SETUP="https://…/setup" SHOPS=shops.json php -S 127.0.0.1:8090 install.php
//
// WEBHOOK_KEYS holds the package's system key, or two while you rotate; BASE is the platform's address, and SETUP your
// page where an admin of the shop goes on. SHOPS is where tokens are kept: in no folder that a server shows.
require __DIR__ . '/receiver.php';

// The shops by their ids: since when each has the package or has it no more, and the token. Yours belong into your
// database; keep tokens as you keep passwords.
define('FILE', getenv('SHOPS') ?: __DIR__ . '/shops.json');

function keep(array $shops): void
{
    umask(0077);
    file_put_contents(FILE . '.new', json_encode($shops, JSON_THROW_ON_ERROR));
    rename(FILE . '.new', FILE);
}

// exchange returns the token for a code; '' if another code of this activation was used, and its token lost.
function exchange(string $code): string
{
    $http = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'timeout' => 5, 'ignore_errors' => true,
        'content' => json_encode(['installCode' => $code])]; // within the ten seconds in which to answer
    $answer = fopen(getenv('BASE') . '/api-engine/tokens', 'r', false, stream_context_create(['http' => $http]));
    $status = (int) explode(' ', stream_get_meta_data($answer)['wrapper_data'][0])[1];
    $text = stream_get_contents($answer);
    return match (true) {
        $status === 401 => '',
        $status === 201 => json_decode($text, flags: JSON_THROW_ON_ERROR)->token,
        default => throw new Exception("no token: $status $text"),
    };
}

// take does what a webhook says, and returns what to answer. Of one shop only what is newer than what is known counts:
// an attempt that comes again, or an activation that comes after the deactivation behind it, changes nothing.
function take(object $hook): ?array
{
    $shops = file_exists(FILE) ? json_decode(file_get_contents(FILE), true, flags: JSON_THROW_ON_ERROR) : [];
    [$shop, $occurred] = [$hook->shopId, $hook->data->occurredAt ?? ''];
    $news = $occurred > ($shops[$shop]['since'] ?? '');
    if ($hook->event === 'packageDeactivate' && $news) {
        keep([$shop => ['since' => $occurred]] + $shops);
    }
    if ($hook->event !== 'packageActivate') {
        return null; // put what else there is into a queue of your own
    }
    if ($news) {
        $token = exchange($hook->data->installCode); // before the answer: after it no other code comes
        if ($token === '') {
            error_log("$shop: the token was lost, so deactivate and activate the package there");
        }
        $shops = [$shop => ['since' => $occurred] + ($token === '' ? [] : ['token' => $token])] + $shops;
        keep($shops);
    }
    // Once an admin was there, keep ready: true, and say so with the token: PATCH /api-engine/package {"setup":"done"}.
    return isset($shops[$shop]['token']) && empty($shops[$shop]['ready'])
        ? ['setup' => 'required', 'setupUrl' => getenv('SETUP') . "?shop=$shop"] : ['setup' => 'done'];
}

set_error_handler(fn(int $kind, string $text) => throw new ErrorException($text));
try {
    $body = file_get_contents('php://input', false, null, 0, 1 << 20); // the raw bytes, never parsed and written anew
    [$stamp, $given] = [$_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '', $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? ''];
    if (!Webhooks\genuine(getenv('WEBHOOK_KEYS') ?: '', $stamp, $given, $body)) {
        http_response_code(401);
        exit('not signed by the platform');
    }
    echo json_encode(take(json_decode($body, flags: JSON_THROW_ON_ERROR)) ?? (object) []);
} catch (Throwable $error) {
    error_log($error->getMessage()); // the webhook comes again, with another code
    http_response_code(500);
}
