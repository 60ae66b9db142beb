package io.fjordmq.broker.rest;

/**
 * The response to a command.
 *
 * @param message what has happened
 */
record CommandOutcome(@Field("Description of what was done") String message) {}
