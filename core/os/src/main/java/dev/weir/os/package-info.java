/**
 * The operating system: system calls, thread scheduling, memory mappings, direct I/O, file modes, file locks, signals,
 * and the service manager. Look here when something depends on the platform; no other package asks which one it is.
 */
@NullMarked
package dev.weir.os;

import org.jspecify.annotations.NullMarked;
