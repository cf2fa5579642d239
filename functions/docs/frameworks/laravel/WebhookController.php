<?php
// A receiver of webhooks in Laravel: app/Http/Controllers/WebhookController.php.
//
// composer.json loads receiver.php:         "autoload": {"files": ["receiver.php"]}
// config/services.php has the keys:         'webhooks' => ['keys' => env('WEBHOOK_KEYS', '')],
// routes/api.php makes it /api/hooks:       Route::post('/hooks', WebhookController::class);

namespace App\Http\Controllers;

use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Config;
use function Webhooks\receive;

final class WebhookController
{
    public function __invoke(Request $request): Response
    {
        [$status, $text] = receive(
            Config::get('services.webhooks.keys'),
            $request->header('X-Webhook-Timestamp', ''),
            $request->header('X-Webhook-Signature', ''),
            $request->getContent(), // the raw bytes, not what input() or json() give
        );
        return new Response($text, $status, ['Content-Type' => 'text/plain']);
    }
}
