package io.fjordmq.broker.logging;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to a node about the levels of its loggers, and the response. */
sealed interface LogLevelCall {
  /*
   * Request:
   *   1  version 1
   *   1  kind: 1 list, 2 set, 3 reset
   *   set:   s logger, 1 level, v milliseconds that the change lasts (0: until the node stops)
   *   reset: s logger
   *
   * Response:
   *   1  version 1
   *   v  count, then for each logger:
   *      s name, 1 level, 1 changed, v end of the change in epoch milliseconds (0: none)
   */
  int VERSION = 1;

  /** Lists the loggers that have their own level. */
  record ListLevels() implements LogLevelCall {}

  /**
   * Changes the level of a logger.
   *
   * @param duration how long the change lasts; null until the node stops
   */
  record SetLevel(String logger, LogLevel level, @Nullable Duration duration)
      implements LogLevelCall {}

  /** Ends the change of a level. */
  record ResetLevel(String logger) implements LogLevelCall {}

  /** Carries out the call on this node. */
  default List<LoggerLevel> apply(LogLevels levels) {
    if (this instanceof SetLevel set) {
      return List.of(levels.set(set.logger, set.level, set.duration));
    }
    return this instanceof ResetLevel reset ? List.of(levels.reset(reset.logger)) : levels.list();
  }

  default byte[] encode() {
    ByteWriter out = new ByteWriter(64).writeByte(VERSION);
    if (this instanceof SetLevel set) {
      out.writeByte(2)
          .writeString(set.logger)
          .writeByte(set.level.code())
          .writeVarint(set.duration == null ? 0 : set.duration.toMillis());
    } else if (this instanceof ResetLevel reset) {
      out.writeByte(3).writeString(reset.logger);
    } else {
      out.writeByte(1);
    }
    return out.toByteArray();
  }

  /**
   * Reads a request.
   *
   * @throws MalformedBytesException if it is malformed or of an unknown version
   */
  static LogLevelCall decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("request for log levels", VERSION, in.readByte());
    int kind = in.readByte();
    LogLevelCall call =
        switch (kind) {
          case 1 -> new ListLevels();
          case 2 -> readSet(in);
          case 3 -> new ResetLevel(in.readString());
          default -> throw NewerFormatException.unknownKind("request for log levels", kind);
        };
    in.requireEnd();
    return call;
  }

  private static SetLevel readSet(ByteReader in) {
    String logger = in.readString();
    LogLevel level = readLevel(in);
    long millis = in.readVarint();
    return new SetLevel(logger, level, millis == 0 ? null : Duration.ofMillis(millis));
  }

  private static LogLevel readLevel(ByteReader in) {
    try {
      return LogLevel.ofCode(in.readByte());
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException(String.valueOf(e.getMessage()));
    }
  }

  static byte[] encodeResponse(List<LoggerLevel> levels) {
    ByteWriter out = new ByteWriter(1_024).writeByte(VERSION).writeVarint(levels.size());
    for (LoggerLevel level : levels) {
      Instant until = level.until();
      out.writeString(level.logger())
          .writeByte(level.level().code())
          .writeByte(level.changed() ? 1 : 0)
          .writeVarint(until == null ? 0 : until.toEpochMilli());
    }
    return out.toByteArray();
  }

  static List<LoggerLevel> decodeResponse(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("log levels", VERSION, in.readByte());
    int count = in.readCount(4);
    List<LoggerLevel> levels = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String logger = in.readString();
      LogLevel level = readLevel(in);
      boolean changed = in.readByte() != 0;
      long until = in.readVarint();
      levels.add(
          new LoggerLevel(logger, level, changed, until == 0 ? null : Instant.ofEpochMilli(until)));
    }
    in.requireEnd();
    return levels;
  }
}
