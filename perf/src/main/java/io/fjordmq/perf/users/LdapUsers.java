package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.machine.UnprivilegedDirectory;
import io.fjordmq.testing.FreePorts;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An OpenLDAP server on this host with users and rules in the schema of EMQX. The broker searches
 * the entry of a user and binds with its password.
 */
final class LdapUsers implements UserService {
  private static final Path SERVER = Path.of("/usr/sbin/slapd");
  private static final Path IMPORT = Path.of("/usr/sbin/slapadd");
  private static final Path CLIENT = Path.of("/usr/bin/ldapsearch");
  private static final Path SCHEMAS = Path.of("/etc/ldap/schema");
  private static final String READER = "cn=fjordmq,dc=example,dc=com";
  private static final String PASSWORD = "fjordmq";

  private static final String SCHEMA =
      """
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.1.4 NAME 'isSuperuser'
        EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE )
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4.1 NAME ( 'mqttPublishTopic' 'mpt' )
        EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4.2 NAME ( 'mqttSubscriptionTopic' 'mst' )
        EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      objectclass ( 1.3.6.1.4.1.11.2.53.2.2.3.1.2.3.4 NAME 'mqttUser' SUP top STRUCTURAL
        MAY ( isSuperuser $ mqttPublishTopic $ mqttSubscriptionTopic )
        MUST ( uid $ userPassword ) )
      """;

  private static final String CONFIGURATION =
      """
      include SCHEMAS/core.schema
      include SCHEMAS/cosine.schema
      include FOLDER/mqtt.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      pidfile FOLDER/pid

      database mdb
      suffix "dc=example,dc=com"
      directory FOLDER/data
      maxsize 1073741824
      dbnosync
      index uid eq
      access to attrs=userPassword by anonymous auth by * none
      access to * by * read

      database monitor
      access to * by * read
      """;

  private static final String ENTRIES =
      """
      dn: dc=example,dc=com
      objectClass: dcObject
      objectClass: organization
      dc: example
      o: example

      dn: cn=fjordmq,dc=example,dc=com
      objectClass: organizationalRole
      objectClass: simpleSecurityObject
      cn: fjordmq
      userPassword: fjordmq

      dn: ou=devices,dc=example,dc=com
      objectClass: organizationalUnit
      ou: devices
      """;

  private static final Pattern COMPLETED = Pattern.compile("monitorOpCompleted: (\\d+)");

  private final ServerProcess server;
  private final int port;

  /** Requests of this class. */
  private final AtomicLong own = new AtomicLong();

  private LdapUsers(ServerProcess server, int port) {
    this.server = server;
    this.port = port;
  }

  static boolean isInstalled() {
    return Files.isExecutable(SERVER)
        && Files.isExecutable(IMPORT)
        && Files.isExecutable(CLIENT)
        && Files.isDirectory(SCHEMAS);
  }

  static LdapUsers start(Iterable<UserAccount> accounts) throws IOException, InterruptedException {
    int port = FreePorts.one();
    UnprivilegedDirectory folder = UnprivilegedDirectory.make();
    try {
      Path path = folder.path();
      Path configuration = path.resolve("slapd.conf");
      // A line that begins with a space continues the previous one.
      Files.writeString(path.resolve("mqtt.schema"), SCHEMA);
      Files.writeString(
          configuration,
          CONFIGURATION.replace("SCHEMAS", SCHEMAS.toString()).replace("FOLDER", path.toString()));
      Path entries = path.resolve("entries.ldif");
      write(entries, accounts);
      ServerProcess.run(folder, List.of("mkdir", path.resolve("data").toString()));
      ServerProcess.run(
          folder,
          List.of(IMPORT.toString(), "-q", "-f", configuration.toString(), "-l", "" + entries));
      List<String> command =
          List.of(
              SERVER.toString(),
              "-f",
              configuration.toString(),
              "-h",
              "ldap://127.0.0.1:" + port,
              "-d",
              "none"); // stay in the foreground, and log only errors
      return new LdapUsers(ServerProcess.start(folder, port, command), port);
    } catch (IOException | InterruptedException | RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private static void write(Path file, Iterable<UserAccount> accounts) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write(ENTRIES);
      for (UserAccount account : accounts) {
        out.write(
            """

            dn: uid=%s,ou=devices,dc=example,dc=com
            objectClass: mqttUser
            uid: %s
            userPassword: %s
            """
                .formatted(account.name(), account.name(), account.password()));
        for (String topic : account.publishes()) {
          out.write("mqttPublishTopic: " + topic + "\n");
        }
        for (String topic : account.subscribes()) {
          out.write("mqttSubscriptionTopic: " + topic + "\n");
        }
      }
    }
  }

  @Override
  public String configuration() {
    String settings =
        """
        type: ldap, servers: '127.0.0.1:%d', username: '%s', password: %s, \
        baseDn: 'ou=devices,dc=example,dc=com', filter: '(uid=${username})'\
        """
            .formatted(port, READER, PASSWORD);
    return """
    securityConfig:
      allowAnonymous: loopback
      authentication: [{%s}]
      authorization: [{%s}]
    """
        .formatted(settings, settings);
  }

  /** Counts the binds and searches of the broker. */
  @Override
  public Optional<ServiceUsage> usage() {
    try {
      String operations =
          ServerProcess.client(
              List.of(
                  CLIENT.toString(),
                  "-x",
                  "-LLL",
                  "-H",
                  "ldap://127.0.0.1:" + port,
                  "-b",
                  "cn=Operations,cn=Monitor",
                  "(|(cn=Bind)(cn=Search))",
                  "monitorOpCompleted"),
              Map.of(),
              List.of());
      long calls = -own.getAndAdd(2) - 1; // the bind of this request; its search goes on
      Matcher completed = COMPLETED.matcher(operations);
      while (completed.find()) {
        calls += Long.parseLong(completed.group(1));
      }
      return Optional.of(new ServiceUsage(1, calls, OptionalLong.of(server.cpuMicros())));
    } catch (IOException e) {
      return Optional.empty(); // the server is down
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
