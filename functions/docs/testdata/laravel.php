<?php
// Serves the controller in the root folder by Laravel's own router, container and configuration. Composer would load
// the two files, and a Laravel application make the rest.
use App\Http\Controllers\WebhookController;
use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Routing\Router;
use Illuminate\Support\Facades\Facade;

require 'Illuminate/Routing/autoload.php';
require 'Illuminate/Events/autoload.php';
require 'Illuminate/Config/autoload.php';
require $_SERVER['DOCUMENT_ROOT'] . '/receiver.php';
require $_SERVER['DOCUMENT_ROOT'] . '/WebhookController.php';

$app = new Container();
$app->instance('config', new Repository(['services' => ['webhooks' => ['keys' => getenv('WEBHOOK_KEYS')]]]));
Facade::setFacadeApplication($app);
$router = new Router(new Dispatcher($app), $app);
$router->post('/hooks', WebhookController::class);
$request = $app->instance(Request::class, Request::capture()); // as the application's kernel does
$router->dispatch($request)->send();
