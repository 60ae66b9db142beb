/**
 * Reads the users and rules of other brokers and turns them into requests of the API. What cannot
 * be carried over is reported, never dropped silently.
 */
@NullMarked
package io.fjordmq.cli.imports;

import org.jspecify.annotations.NullMarked;
