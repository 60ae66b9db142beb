package io.fjordmq.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * OpenLDAP's slapd on this host.
 *
 * @param process the process of the server
 */
public record SlapdServer(LocalServer process) implements AutoCloseable {
  private static final Path SERVER = Path.of("/usr/sbin/slapd");
  private static final Path IMPORT = Path.of("/usr/sbin/slapadd");
  private static final Path SCHEMAS = Path.of("/etc/ldap/schema");

  /** Returns whether the server and its schemas are installed. */
  public static boolean isInstalled() {
    return Files.isExecutable(SERVER) && Files.isExecutable(IMPORT) && Files.isDirectory(SCHEMAS);
  }

  /**
   * Writes the files that a server needs.
   *
   * @param folder a directory for its files
   * @param configuration slapd.conf, in which {@code FOLDER} stands for the directory; its database
   *     is in {@code FOLDER/data}
   * @param schema {@code FOLDER/mqtt.schema}
   */
  public static void prepare(Path folder, String configuration, String schema) throws IOException {
    Files.createDirectory(folder.resolve("data"));
    Files.writeString(folder.resolve("mqtt.schema"), schema);
    Files.writeString(configuration(folder), configuration.replace("FOLDER", folder.toString()));
  }

  private static Path configuration(Path folder) {
    return folder.resolve("slapd.conf");
  }

  /** Adds the entries of a file to the first database, while the server is not running. Blocks. */
  public static void load(Path folder, Path ldif) throws IOException, InterruptedException {
    String file = configuration(folder).toString();
    LocalServer.run(folder, List.of(IMPORT.toString(), "-q", "-f", file, "-l", ldif.toString()));
  }

  /**
   * Starts a server. Blocks until it accepts connections.
   *
   * @param folder a directory that has been {@linkplain #prepare prepared}
   * @param port port of the first of the URLs
   * @param urls where it listens, separated by spaces
   */
  public static SlapdServer start(Path folder, int port, String urls)
      throws IOException, InterruptedException {
    String file = configuration(folder).toString();
    // stay in the foreground, and log only errors
    List<String> command = List.of(SERVER.toString(), "-f", file, "-h", urls, "-d", "none");
    return new SlapdServer(LocalServer.start(folder, port, command));
  }

  @Override
  public void close() {
    process.close();
  }
}
