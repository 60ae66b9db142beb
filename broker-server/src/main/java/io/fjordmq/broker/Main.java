package io.fjordmq.broker;

import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import io.fjordmq.cluster.PrivateDirectory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The process: {@code Main [-c FILE] [-d DIR]}. Ends with 0 after SIGTERM or SIGINT, 1 if the node
 * could not start or some part of it did not close in time, 2 for wrong usage or configuration;
 * what was wrong stands on standard error. {@code --check}, as the first argument, only checks the
 * configuration and the files it names.
 */
public final class Main {
  private static final String USAGE = "usage: Main [--check] [-c FILE] [-d DIR]";
  private static final String CHECK = "--check";
  private static final int FAILED = 1;
  private static final int MISUSED = 2;

  private Main() {}

  public static void main(String[] args) {
    boolean checkOnly = args.length > 0 && args[0].equals(CHECK);
    ConfigLoader.Loaded loaded;
    try {
      loaded =
          ConfigLoader.load(commandLine(Arrays.copyOfRange(args, checkOnly ? 1 : 0, args.length)));
    } catch (IllegalArgumentException e) {
      say(e.getMessage());
      say(USAGE);
      System.exit(MISUSED);
      return;
    } catch (ConfigException e) {
      e.problems().forEach(Main::say);
      System.exit(MISUSED);
      return;
    }
    if (checkOnly) {
      check(loaded);
    } else {
      start(loaded);
    }
  }

  /** Says on standard error what {@link #start} would refuse, or that it is ready to start. */
  private static void check(ConfigLoader.Loaded loaded) {
    loaded.warnings().forEach(warning -> say("warning: " + warning));
    List<String> problems = StartChecks.ofFiles(loaded.config());
    problems.forEach(Main::say);
    if (!problems.isEmpty()) {
      System.exit(MISUSED);
    }
    say("the configuration is valid, and every file it names can be used");
  }

  private static void start(ConfigLoader.Loaded loaded) {
    requireLogDirectory(loaded.config().logDir());
    // Before the first logger is made: conf/logback.xml writes there.
    System.setProperty("fjordmq.logDir", loaded.config().logDir());
    Logger log = LoggerFactory.getLogger(Main.class);
    // What plugins and the JDK say through System.Logger ends there, and would go to standard
    // error.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, fault) ->
            log.error(
                "Thread died of an uncaught exception; this is a bug thread={}",
                thread.getName(),
                fault));
    log.info(
        "Starting FjordMQ version={} pid={} java={} data={}",
        Version.text(),
        ProcessHandle.current().pid(),
        Runtime.version(),
        loaded.config().dataDir());
    loaded.warnings().forEach(warning -> log.warn("Configuration: {}", warning));
    AtomicReference<@Nullable Node> running = new AtomicReference<>();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(running.get()), "shutdown"));
    try {
      Node.start(loaded.config(), running::set);
    } catch (StartException e) {
      running.set(null); // it is closed
      for (String problem : String.valueOf(e.getMessage()).split("\n", -1)) {
        log.error("Cannot start: {}", problem);
        say("cannot start: " + problem);
      }
      log.debug("cannot start", e);
      System.exit(FAILED);
    } catch (RuntimeException | Error e) {
      running.set(null);
      log.error("Cannot start because of a bug in FjordMQ; please report it", e);
      say("cannot start: " + e + "; " + loaded.config().logDir() + "/fjordmq.log says more");
      System.exit(FAILED);
    }
  }

  /** Logging that cannot write would say so on every line and go on: a node without a log. */
  private static void requireLogDirectory(String logDir) {
    Path directory = Path.of(logDir).toAbsolutePath();
    @Nullable String fault = null;
    try {
      PrivateDirectory.createAll(directory);
      if (!Files.isWritable(directory)) {
        fault = "this user may not write there";
      }
    } catch (FileAlreadyExistsException e) {
      fault = e.getMessage() + " is not a directory";
    } catch (IOException e) {
      fault = e.toString();
    }
    if (fault != null) {
      say(
          "cannot start: no log can be written in "
              + directory
              + ": "
              + fault
              + "; correct that, or change logDir");
      System.exit(FAILED);
    }
  }

  private static void end(@Nullable Node node) {
    if (node == null) {
      return; // it has not started, and the exit code says why
    }
    LoggerFactory.getLogger(Main.class).info("asked to end: clients are told, state is flushed");
    node.close();
    if (!node.hung().isEmpty()) {
      say("ended, but these parts did not close in time: " + String.join(", ", node.hung()));
      Runtime.getRuntime().halt(FAILED);
    }
    // Asked to end and ended: that is a success, which the signal's exit code would not say.
    Runtime.getRuntime().halt(0);
  }

  /**
   * @throws IllegalArgumentException if it cannot be understood
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
        : new CommandLine(file, made(base, "data"), made(base, "logs"));
  }

  private static String made(Path base, String name) {
    try {
      PrivateDirectory.createAll(base);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot make the folder " + base + ": " + e, e);
    }
    return base.resolve(name).toString();
  }

  private static void say(@Nullable String line) {
    System.err.println("fjordmq: " + line);
  }
}
