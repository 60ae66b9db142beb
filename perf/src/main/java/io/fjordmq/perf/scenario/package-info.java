/**
 * What the load tool can be asked to do: scenarios by name, read from files or from the name
 * itself, and made smaller to fit a machine. Knows nothing of sockets and processes.
 */
@NullMarked
package io.fjordmq.perf.scenario;

import org.jspecify.annotations.NullMarked;
