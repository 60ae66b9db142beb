/** Breaks rules of {@code ModuleRules} on purpose. */
@NullMarked
package io.fjordmq.perf.seededtwo;

import org.jspecify.annotations.NullMarked;
