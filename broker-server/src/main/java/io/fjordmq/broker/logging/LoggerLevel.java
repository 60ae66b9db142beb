package io.fjordmq.broker.logging;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The level of a logger and of the loggers below it that have no level of their own.
 *
 * @param logger the name of the logger
 * @param changed whether an operator has changed the level at run time
 * @param until when the change ends; null if it lasts until the node stops
 */
public record LoggerLevel(
    String logger, LogLevel level, boolean changed, @Nullable Instant until) {}
