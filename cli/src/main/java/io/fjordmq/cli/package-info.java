/**
 * The commands of {@code bin/fjordmq}. Each noun of the command line is one class, which contains
 * its requests and the columns of its tables.
 *
 * <p>Start at {@link io.fjordmq.cli.Main}.
 */
@NullMarked
package io.fjordmq.cli;

import org.jspecify.annotations.NullMarked;
