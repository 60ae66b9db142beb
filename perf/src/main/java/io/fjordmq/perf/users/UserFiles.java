package io.fjordmq.perf.users;

import io.fjordmq.perf.Digests;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * A password file and an ACL file. The formats are those of Mosquitto, which FjordMQ reads as well.
 * Passwords are stored as salted SHA-512 hashes, because a deliberately slow hash would dominate
 * the measurement.
 */
public record UserFiles(Path passwords, Path acl) implements UserService {
  /** Mosquitto accepts no other length. */
  private static final int SALT_BYTES = 12;

  static UserFiles write(Path directory, Iterable<UserAccount> accounts) throws IOException {
    Files.createDirectories(directory);
    UserFiles files = new UserFiles(directory.resolve("passwords"), directory.resolve("acl"));
    try (BufferedWriter users = Files.newBufferedWriter(files.passwords)) {
      for (UserAccount account : accounts) {
        users.write(passwordLine(account.name()) + "\n");
      }
    }
    writeRules(files.acl, accounts);
    return files;
  }

  /** Writes an ACL file. */
  static void writeRules(Path file, Iterable<UserAccount> accounts) throws IOException {
    try (BufferedWriter rules = Files.newBufferedWriter(file)) {
      for (UserAccount account : accounts) {
        rules.write("user " + account.name() + "\n");
        writeRules("write", account.publishes(), rules);
        writeRules("read", account.subscribes(), rules);
      }
    }
  }

  private static void writeRules(String access, List<String> filters, BufferedWriter rules)
      throws IOException {
    for (String filter : filters) {
      rules.write("topic " + access + " " + filter + "\n");
    }
  }

  /** Returns the line of a user in the password file, without its end. */
  public static String passwordLine(String name) {
    return name + ":" + hash(UserAccount.credentials(name).password(), name);
  }

  private static String hash(String password, String name) {
    byte[] nameHash = Digests.hash("SHA-512", name.getBytes(StandardCharsets.UTF_8));
    byte[] salt = Arrays.copyOf(nameHash, SALT_BYTES);
    byte[] hash = Digests.hash("SHA-512", password.getBytes(StandardCharsets.UTF_8), salt);
    Base64.Encoder base64 = Base64.getEncoder();
    return "$6$" + base64.encodeToString(salt) + "$" + base64.encodeToString(hash);
  }

  @Override
  public String configuration() {
    return "securityConfig: {allowAnonymous: loopback, passwordFile: %s, aclFile: %s}\n"
        .formatted(passwords, acl);
  }

  @Override
  public String mosquittoConfiguration() {
    return "password_file %s\nacl_file %s\n".formatted(passwords, acl);
  }
}
