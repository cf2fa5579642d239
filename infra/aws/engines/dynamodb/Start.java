import java.lang.reflect.Field;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Starts Amazon's DynamoDB Local in memory on a free port of the loopback address only (its own main listens on all
 * addresses), prints the port, and ends when its standard input does: with whoever started it, however that one ended.
 */
public class Start {
  public static void main(String[] args) throws Exception {
    DynamoDBProxyServer proxy = ServerRunner.createServerFromCommandLineArgs(
        new String[] {"-inMemory", "-sharedDb", "-disableTelemetry"});
    Field field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    ServerConnector connector = (ServerConnector) ((Server) field.get(proxy)).getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    proxy.safeStart();
    System.out.println("port " + connector.getLocalPort());
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }
}
