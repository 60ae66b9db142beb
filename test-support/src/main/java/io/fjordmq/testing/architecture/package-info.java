/**
 * Architecture rules for the classes of all modules. Each module that {@code broker-server} does
 * not depend on extends {@link io.fjordmq.testing.architecture.ArchitectureContract} in its tests.
 * Needs ArchUnit and JUnit, which a module that uses this package must have among its own
 * dependencies.
 */
@NullMarked
package io.fjordmq.testing.architecture;

import org.jspecify.annotations.NullMarked;
