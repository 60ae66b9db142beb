/**
 * Utilities for the load tool and for the tests of all modules, without dependencies on broker
 * classes: waiting for conditions ({@link io.fjordmq.testing.Await}), ports ({@link
 * io.fjordmq.testing.FreePorts}), simulated time and its seeds ({@link
 * io.fjordmq.testing.Simulation}, {@link io.fjordmq.testing.Seeds}), servers of installed packages
 * such as Redis and PostgreSQL ({@link io.fjordmq.testing.LocalServer}), the examples of the
 * documentation ({@link io.fjordmq.testing.DocumentedSection}), and records whose components are
 * set by name ({@link io.fjordmq.testing.RecordBuilder}). Test utilities that need classes of a
 * module are among the tests of that module.
 */
@NullMarked
package io.fjordmq.testing;

import org.jspecify.annotations.NullMarked;
