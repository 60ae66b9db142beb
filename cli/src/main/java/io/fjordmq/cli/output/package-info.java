/**
 * The output of commands: tables, objects and messages, and questions on the terminal.
 *
 * <p>Start at {@link io.fjordmq.cli.output.Table}.
 */
@NullMarked
package io.fjordmq.cli.output;

import org.jspecify.annotations.NullMarked;
