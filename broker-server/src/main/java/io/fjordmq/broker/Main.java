package io.fjordmq.broker;

import io.fjordmq.broker.backup.BackupLocation;
import io.fjordmq.broker.backup.BackupProgram;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.MemoryLimits;
import io.fjordmq.broker.logging.DeferredLog;
import io.fjordmq.broker.mosquitto.MosquittoImport;
import io.fjordmq.broker.recovery.RecoveryProgram;
import io.fjordmq.broker.rest.ConfigsResource;
import io.fjordmq.cluster.PrivateDirectory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Entry point: {@code Main [-c FILE] [-d DIR]}. The exit code is 0 after SIGTERM or SIGINT, 1 if
 * the node could not start or a component did not close in time, and 2 for a usage error or an
 * invalid configuration; the reason is printed to standard error. The first argument can choose
 * another task, which starts no node:
 *
 * <ul>
 *   <li>{@code --check} validates the configuration and the files it refers to
 *   <li>{@code --show-config} prints the effective configuration as JSON, with redacted secrets
 *   <li>{@code --import-mosquitto FILE} converts a configuration file of mosquitto
 *   <li>{@code --show-backup DIR} and {@code --verify-backup DIR} describe or check a backup (DIR
 *       can be a URL like {@code s3://BUCKET/PREFIX}; the environment has its settings)
 *   <li>{@code --restore DIR} checks a backup and writes a request to restore it to the data
 *       directory, which must be empty
 *   <li>{@code --recover (show | cluster | RANGE)} describes what a stopped node has, or makes it
 *       the only node of a new cluster, or the only voter of a range
 * </ul>
 */
public final class Main {
  private static final String USAGE =
      "usage: Main [--check | --show-config | --restore DIR | --recover (show | cluster | RANGE)]"
          + " [-c FILE] [-d DIR],"
          + " or Main (--import-mosquitto FILE | --show-backup DIR | --verify-backup DIR)";

  private static final String CHECK = "--check";
  private static final String SHOW_CONFIG = "--show-config";
  private static final String IMPORT_MOSQUITTO = "--import-mosquitto";
  private static final String SHOW_BACKUP = "--show-backup";
  private static final String VERIFY_BACKUP = "--verify-backup";
  private static final String RESTORE = "--restore";
  private static final String RECOVER = "--recover";

  /** The tasks that need the configuration and an argument. */
  private static final List<String> NODE_TASKS = List.of(RESTORE, RECOVER);

  /** The tasks that need no configuration. */
  private static final Map<String, FileTask> FILE_TASKS =
      Map.of(
          IMPORT_MOSQUITTO, Main::importMosquitto,
          SHOW_BACKUP, Main::showBackup,
          VERIFY_BACKUP, backup -> printResult(BackupProgram.verify(BackupLocation.of(backup))));

  private static final int FAILED = 1;
  private static final int USAGE_ERROR = 2;

  private Main() {}

  public static void main(String[] args) {
    // With the JDK's TLS, clients could otherwise repeat the handshake on an open connection as
    // often as they like. Read when TLS is used first.
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    // The JVM would keep addresses for 30 s and failed lookups for 10 s, but nodes that start
    // together in containers get their addresses at that time.
    Security.setProperty("networkaddress.cache.ttl", "5");
    Security.setProperty("networkaddress.cache.negative.ttl", "1");
    String task = args.length == 0 ? "" : args[0];
    FileTask fileTask = FILE_TASKS.get(task);
    boolean isNodeTask = NODE_TASKS.contains(task);
    boolean startsNode =
        fileTask == null && !isNodeTask && !List.of(CHECK, SHOW_CONFIG).contains(task);
    // Only a node has a log; the other tasks must not write anything.
    DeferredLog deferred = DeferredLog.off();
    if (fileTask != null) {
      run(fileTask, Arrays.copyOfRange(args, 1, args.length));
      return;
    }
    ConfigLoader.LoadedConfig loaded;
    int options = startsNode ? 0 : isNodeTask ? 2 : 1;
    try {
      if (options > args.length) {
        throw new IllegalArgumentException(task + " needs a value");
      }
      loaded = ConfigLoader.load(commandLine(Arrays.copyOfRange(args, options, args.length)));
    } catch (IllegalArgumentException e) {
      print(e.getMessage());
      print(USAGE);
      System.exit(USAGE_ERROR);
      return;
    } catch (ConfigException e) {
      e.problems().forEach(Main::print);
      System.exit(USAGE_ERROR);
      return;
    }
    switch (task) {
      case CHECK -> check(loaded);
      case SHOW_CONFIG -> showConfig(loaded);
      case RESTORE -> run(backup -> requestRestore(backup, loaded), args[1]);
      case RECOVER -> run(what -> recover(what, loaded.config()), args[1]);
      default -> start(loaded, deferred);
    }
  }

  /** Prints the values that the node would have before it joins the cluster. */
  private static void showConfig(ConfigLoader.LoadedConfig loaded) {
    loaded.warnings().forEach(warning -> print("warning: " + warning));
    try {
      String json = ConfigsResource.json(loaded.sources().entries(Map.of(), Map.of()));
      output().println(json);
    } catch (ConfigException e) {
      throw new IllegalStateException("the configuration was valid before", e);
    }
  }

  /** A task that reads a file, directory or backup, and prints what it finds. */
  @FunctionalInterface
  private interface FileTask {
    /**
     * @throws IOException if it fails; the message is for the operator
     */
    void run(String source) throws IOException;
  }

  private static void run(FileTask task, String... args) {
    if (args.length != 1) {
      print(USAGE);
      System.exit(USAGE_ERROR);
    }
    try {
      task.run(args[0]);
    } catch (IOException e) {
      print(message(e));
      System.exit(FAILED);
    }
  }

  /** The message of these exceptions is often only a path. */
  private static String message(IOException failure) {
    boolean isOnlyPath =
        failure instanceof FileSystemException system && system.getReason() == null;
    return isOnlyPath ? failure.toString() : String.valueOf(failure.getMessage());
  }

  /** Prints a configuration to standard output, and what is missing in it to standard error. */
  private static void importMosquitto(String file) throws IOException {
    MosquittoImport result = MosquittoImport.of(Path.of(file));
    output().print(result.yaml());
    result.notes().forEach(Main::print);
  }

  private static void showBackup(String backup) throws IOException {
    BackupProgram.show(BackupLocation.of(backup)).forEach(Main::printResult);
  }

  private static void requestRestore(String backup, ConfigLoader.LoadedConfig loaded)
      throws IOException {
    Path data = Path.of(loaded.config().dataDir());
    printResult(BackupProgram.requestRestore(BackupLocation.of(backup), data));
  }

  private static void recover(String what, BrokerConfig config) throws IOException {
    List<String> lines =
        switch (what) {
          case "show" -> RecoveryProgram.show(config);
          case "cluster" -> RecoveryProgram.recoverCluster(config);
          default -> RecoveryProgram.recoverRange(config, what);
        };
    lines.forEach(Main::printResult);
  }

  private static PrintStream output() {
    return new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
  }

  private static void printResult(String line) {
    output().println(line);
  }

  /** Prints to standard error every problem that would prevent {@link #start}. */
  private static void check(ConfigLoader.LoadedConfig loaded) {
    loaded.warnings().forEach(warning -> print("warning: " + warning));
    List<String> problems = StartChecks.ofFiles(loaded.config());
    problems.forEach(Main::print);
    if (!problems.isEmpty()) {
      System.exit(USAGE_ERROR);
    }
    print("the configuration is valid, and all files it refers to are usable");
  }

  private static void start(ConfigLoader.LoadedConfig loaded, DeferredLog deferred) {
    requireLogDirectory(loaded.config().logDir());
    // conf/logback.xml uses them.
    System.setProperty("fjordmq.logDir", loaded.config().logDir());
    System.setProperty("fjordmq.logFormat", loaded.config().logConfig().format().name());
    deferred.open();
    Logger log = LoggerFactory.getLogger(Main.class);
    // The JDK and plugins may use java.util.logging, which would otherwise log to standard error.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, fault) ->
            log.error(
                "Uncaught exception; please report this bug thread={}", thread.getName(), fault));
    log.info(
        "Starting FjordMQ version={} pid={} java={} data={}",
        Version.text(),
        ProcessHandle.current().pid(),
        Runtime.version(),
        loaded.config().dataDir());
    MemoryLimits memory = MemoryLimits.ofProcess();
    log.info("Memory: {}", memory);
    memory.warning().ifPresent(log::warn);
    loaded.warnings().forEach(warning -> log.warn("Configuration: {}", warning));
    AtomicReference<@Nullable Node> running = new AtomicReference<>();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> shutDown(running.get()), "shutdown"));
    try {
      Node.start(
          loaded, running::set, () -> new Thread(() -> System.exit(0), "decommissioned").start());
    } catch (StartException e) {
      running.set(null); // Node.start has already closed it
      for (String problem : String.valueOf(e.getMessage()).split("\n", -1)) {
        log.error("Cannot start: {}", problem);
        print("cannot start: " + problem);
      }
      log.debug("Cannot start", e);
      System.exit(FAILED);
    } catch (RuntimeException | Error e) {
      running.set(null);
      log.error("Cannot start because of an unexpected exception; please report this bug", e);
      print(
          "cannot start: " + e + "; for details see " + loaded.config().logDir() + "/fjordmq.log");
      System.exit(FAILED);
    }
  }

  /**
   * Exits if the log directory is not writable. Otherwise logback would only report an error for
   * each line, and the node would run without a log.
   */
  private static void requireLogDirectory(String logDir) {
    Path directory = Path.of(logDir).toAbsolutePath();
    @Nullable String fault = null;
    try {
      PrivateDirectory.createAll(directory);
      if (!Files.isWritable(directory)) {
        fault = "not writable by this user";
      }
    } catch (FileAlreadyExistsException e) {
      fault = e.getMessage() + " is not a directory";
    } catch (IOException e) {
      fault = e.toString();
    }
    if (fault != null) {
      print(
          "cannot start: cannot write to the log directory "
              + directory
              + ": "
              + fault
              + "; make the directory writable or change logDir");
      System.exit(FAILED);
    }
  }

  private static void shutDown(@Nullable Node node) {
    if (node == null) {
      return; // startup failed and has already set the exit code
    }
    LoggerFactory.getLogger(Main.class)
        .info("Shutting down: disconnecting clients and flushing state");
    node.close();
    if (!node.unclosedComponents().isEmpty()) {
      print(
          "stopped, but these components did not close in time: "
              + String.join(", ", node.unclosedComponents()));
      Runtime.getRuntime().halt(FAILED);
    }
    // Without this, the exit code of a requested shutdown would be that of the signal.
    Runtime.getRuntime().halt(0);
  }

  /**
   * @throws IllegalArgumentException if an option is unknown or has no value
   */
  static CommandLine commandLine(String... args) {
    Path file = Path.of("conf", "standalone.yml");
    @Nullable Path base = null;
    for (int i = 0; i < args.length; i += 2) {
      if (i + 1 == args.length) {
        throw new IllegalArgumentException(args[i] + " needs a value");
      }
      switch (args[i]) {
        case "-c" -> file = Path.of(args[i + 1]);
        case "-d" -> base = Path.of(args[i + 1]);
        default -> throw new IllegalArgumentException("unknown option " + args[i]);
      }
    }
    return base == null
        ? new CommandLine(file, null, null)
        : new CommandLine(file, subdirectory(base, "data"), subdirectory(base, "logs"));
  }

  private static String subdirectory(Path base, String name) {
    try {
      PrivateDirectory.createAll(base);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot create the directory " + base + ": " + e, e);
    }
    return base.resolve(name).toString();
  }

  private static void print(@Nullable String line) {
    System.err.println("fjordmq: " + line);
  }
}
