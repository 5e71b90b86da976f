/** What lets tests of other packages take the threads of the queue one turn at a time. */
@NullMarked
package dev.weir.storage.queue;

import org.jspecify.annotations.NullMarked;
