/** Contains classes that break rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.broker.records.seeded;

import org.jspecify.annotations.NullMarked;
