/**
 * Utilities of the load tool and of the tests of all modules; free of broker classes: conditions to
 * wait for ({@link io.fjordmq.testing.Await}), ports ({@link io.fjordmq.testing.FreePorts}),
 * simulated time and its seeds ({@link io.fjordmq.testing.Simulation}, {@link
 * io.fjordmq.testing.Seeds}), and records whose components are set by name ({@link
 * io.fjordmq.testing.RecordBuilder}). Support that needs classes of a module is among the tests of
 * that module.
 */
@NullMarked
package io.fjordmq.testing;

import org.jspecify.annotations.NullMarked;
