/**
 * The architecture rules as tests: which package may use which, and what none may do. Start at
 * {@link io.fjordmq.broker.house.ArchitectureTest}.
 */
@NullMarked
package io.fjordmq.broker.house;

import org.jspecify.annotations.NullMarked;
