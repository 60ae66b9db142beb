/** A class that breaks a rule; {@code ArchitectureTest} must find it. */
@NullMarked
package io.fjordmq.broker.query.seeded;

import org.jspecify.annotations.NullMarked;
