package io.fjordmq.broker.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * The levels of the loggers of this node. {@code conf/logback.xml} sets them; operators can change
 * them until the node stops or for some time. A changed level remains when logback rereads the
 * file. Thread-safe; does not block.
 */
public final class LogLevels implements AutoCloseable {
  /** The logger of the lines about clients that connect and disconnect. */
  public static final String CLIENTS = "io.fjordmq.clients";

  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(LogLevels.class);
  private static final long NEVER = Long.MAX_VALUE;
  private static final long MAX_WAIT_MILLIS = 60_000;
  private static final String ROOT = org.slf4j.Logger.ROOT_LOGGER_NAME;

  /** A level that an operator has set. */
  private static final class Change {
    private final Level level;
    private final @Nullable Instant until;

    /** When the change ends, in milliseconds of the timers. */
    private final long endMillis;

    /** The level according to the file; null if the file has none for this logger. */
    private volatile @Nullable Level configured;

    private Change(
        Level level, @Nullable Instant until, long endMillis, @Nullable Level configured) {
      this.level = level;
      this.until = until;
      this.endMillis = endMillis;
      this.configured = configured;
    }
  }

  private final LoggerContext context;
  private final Timers timers;
  private final InstantSource clock;
  private final Level clientLevel;
  private final Map<String, Change> changes = new ConcurrentHashMap<>();
  private final Listener listener = new Listener();

  /**
   * The seconds in which a timer ends changes. Timers cannot be canceled, and an operator may
   * change a level often, so changes share them. Guarded by this.
   */
  private final Set<Long> timerSeconds = new HashSet<>();

  /** Keeps changed levels when logback reads its file again, which resets all of them. */
  private final class Listener implements LoggerContextListener {
    @Override
    public boolean isResetResistant() {
      return true;
    }

    @Override
    public void onReset(LoggerContext reset) {
      setClientLevel();
      changes.forEach(
          (name, change) -> {
            change.configured = null;
            context.getLogger(name).setLevel(change.level);
          });
    }

    // Logback holds the lock of the logger, so this method must not take any other.
    @Override
    public void onLevelChange(Logger logger, Level level) {
      Change change = changes.get(logger.getName());
      if (change != null && level != change.level) {
        change.configured = level;
        logger.setLevel(change.level);
      } else if (change == null && logger.getName().equals(CLIENTS) && level != clientLevel) {
        logger.setLevel(clientLevel);
      }
    }

    @Override
    public void onStart(LoggerContext started) {
      // Levels change only as described above.
    }

    @Override
    public void onStop(LoggerContext stopped) {
      // No lines follow.
    }
  }

  /**
   * Takes control of the levels of this process.
   *
   * @param timers end changes that last for some time
   * @throws IllegalStateException if the process does not log with logback
   */
  public static LogLevels open(LogSettings settings, Timers timers) {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (!(factory instanceof LoggerContext context)) {
      throw new IllegalStateException(
          "FjordMQ logs with logback, but this process uses " + factory.getClass().getName());
    }
    return new LogLevels(context, settings, timers, InstantSource.system());
  }

  LogLevels(LoggerContext context, LogSettings settings, Timers timers, InstantSource clock) {
    this.context = context;
    this.timers = timers;
    this.clock = clock;
    this.clientLevel = settings.clientConnections() ? Level.INFO : Level.WARN;
    context.addListener(listener);
    setClientLevel();
  }

  private void setClientLevel() {
    context.getLogger(CLIENTS).setLevel(clientLevel);
  }

  /** Returns the loggers that have their own level, sorted by name. */
  public List<LoggerLevel> list() {
    List<LoggerLevel> levels = new ArrayList<>();
    for (Logger logger : context.getLoggerList()) {
      Level level = logger.getLevel();
      if (level != null) {
        levels.add(describe(logger.getName(), level));
      }
    }
    levels.sort(Comparator.comparing(LoggerLevel::logger));
    return levels;
  }

  private LoggerLevel describe(String logger, Level level) {
    Change change = changes.get(logger);
    return new LoggerLevel(
        logger, LogLevel.of(level), change != null, change == null ? null : change.until);
  }

  /** Returns the names of all loggers that are in use, and of their parents. */
  public List<String> known() {
    return context.getLoggerList().stream().map(Logger::getName).toList();
  }

  /**
   * Returns the loggers that a name can mean: the one with this name or, if no logger and no class
   * has it, those whose name ends with it, because log files show only the end. Empty if there are
   * none.
   */
  public List<String> find(String name) {
    if (name.equalsIgnoreCase(ROOT)) {
      return List.of(ROOT);
    }
    if (context.exists(name) != null || isClass(name)) {
      return List.of(name);
    }
    List<String> sameEnd =
        known().stream().filter(known -> endOf(known).equalsIgnoreCase(name)).sorted().toList();
    // A package and a class in it can have the same name in different case.
    List<String> sameCase = sameEnd.stream().filter(known -> endOf(known).equals(name)).toList();
    return sameCase.isEmpty() ? sameEnd : sameCase;
  }

  private static String endOf(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Classes get their loggers when they are first used. */
  private static boolean isClass(String name) {
    ClassLoader loader = Objects.requireNonNull(LogLevels.class.getClassLoader());
    return loader.getResource(name.replace('.', '/') + ".class") != null;
  }

  /**
   * Changes the level of a logger.
   *
   * @param duration how long the change lasts; null until the node stops
   */
  public synchronized LoggerLevel set(String name, LogLevel level, @Nullable Duration duration) {
    Logger logger = context.getLogger(name);
    Change before = changes.get(name);
    Instant until = duration == null ? null : clock.instant().plus(duration);
    long endMillis = duration == null ? NEVER : timers.nowMillis() + duration.toMillis();
    Change change =
        new Change(
            level.toLogback(),
            until,
            endMillis,
            before == null ? logger.getLevel() : before.configured);
    changes.put(name, change);
    logger.setLevel(change.level);
    LOG.info(
        "Log level changed logger={} level={} until={}",
        name,
        level.label(),
        until == null ? "stop" : until);
    if (duration != null) {
      scheduleEnd(endMillis);
    }
    return describe(name, change.level);
  }

  /** Schedules a look at the changes, a minute from now at the latest and up to a second late. */
  private void scheduleEnd(long endMillis) {
    long now = timers.nowMillis();
    long second = (Math.min(endMillis, now + MAX_WAIT_MILLIS) + 999) / 1_000;
    if (timerSeconds.add(second)) {
      timers.schedule(Math.max(0, second * 1_000 - now), () -> endDue(second));
    }
  }

  private synchronized void endDue(long second) {
    timerSeconds.remove(second);
    long now = timers.nowMillis();
    changes.forEach(
        (name, change) -> {
          if (change.endMillis <= now) {
            reset(name);
          }
        });
    changes.values().stream()
        .mapToLong(change -> change.endMillis)
        .filter(end -> end != NEVER)
        .min()
        .ifPresent(this::scheduleEnd);
  }

  /**
   * Ends the change of a level.
   *
   * @return the effective level, which may be inherited from a parent
   */
  public synchronized LoggerLevel reset(String name) {
    Logger logger = context.getLogger(name);
    Change change = changes.remove(name);
    if (change != null) {
      Level configured = name.equals(CLIENTS) ? clientLevel : change.configured;
      logger.setLevel(configured == null && name.equals(ROOT) ? Level.INFO : configured);
      LOG.info(
          "Log level reset logger={} level={}",
          name,
          LogLevel.of(logger.getEffectiveLevel()).label());
    }
    return describe(name, logger.getEffectiveLevel());
  }

  /** Ends all changes. */
  @Override
  public void close() {
    changes.keySet().forEach(this::reset);
    context.removeListener(listener);
  }
}
