/** Breaks rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.cluster.consensus.seeded;

import org.jspecify.annotations.NullMarked;
