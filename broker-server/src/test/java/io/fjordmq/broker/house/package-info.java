/**
 * The rules of the house as tests: which part may know which, and what no part may do. Start at
 * {@link io.fjordmq.broker.house.ArchitectureTest}.
 */
@NullMarked
package io.fjordmq.broker.house;

import org.jspecify.annotations.NullMarked;
