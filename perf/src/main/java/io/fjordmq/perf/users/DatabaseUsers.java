package io.fjordmq.perf.users;

import io.fjordmq.testing.LocalServer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Users in the database of the cluster, imported with the command line of the broker. The nodes
 * hash each password as slowly as in production.
 *
 * @param users file with the names and passwords, as EMQX imports it
 * @param acl file with the rules, as mosquitto reads it
 * @param scram whether clients log in with SCRAM
 */
record DatabaseUsers(Path users, Path acl, boolean scram) implements UserService {
  static DatabaseUsers write(Path directory, Iterable<UserAccount> accounts, boolean scram)
      throws IOException {
    Files.createDirectories(directory);
    DatabaseUsers files =
        new DatabaseUsers(directory.resolve("users.csv"), directory.resolve("acl"), scram);
    try (BufferedWriter users = Files.newBufferedWriter(files.users)) {
      users.write("user_id,password\n");
      for (UserAccount account : accounts) {
        users.write(account.name() + "," + account.password() + "\n");
      }
    }
    UserFiles.writeRules(files.acl, accounts);
    return files;
  }

  @Override
  public void fill(Path checkout, Path node) throws IOException, InterruptedException {
    load(checkout, node, "emqx", users);
    load(checkout, node, "mosquitto-acl", acl);
  }

  private static void load(Path checkout, Path node, String format, Path file)
      throws IOException, InterruptedException {
    String program = checkout.resolve("bin/fjordmq").toString();
    LocalServer.client(
        List.of(program, "-d", node.toString(), "mqtt-users", "import", format, file.toString()),
        Map.of(),
        List.of());
  }

  @Override
  public String configuration() {
    String method = scram ? "{type: scram, mechanisms: SCRAM-SHA-256}, " : "";
    return """
    securityConfig:
      allowAnonymous: loopback
      authentication: [%s{type: database}]
      authorization: [{type: database}]
    """
        .formatted(method);
  }
}
