/**
 * The scenarios of the load tool: read from files or derived from their names, and scaled to fit a
 * host. This package uses neither sockets nor processes.
 */
@NullMarked
package io.fjordmq.perf.scenario;

import org.jspecify.annotations.NullMarked;
