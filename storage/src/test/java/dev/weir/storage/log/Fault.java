package dev.weir.storage.log;

/** The failures of a simulation. Each must occur in a run of many seeds. */
enum Fault {
    SHORT_WRITE(8),
    WRITE_ERROR(2),
    DISK_FULL(0),
    FORCE_ERROR_DROPS(2),
    FORCE_ERROR_KEEPS(2),
    SHORT_READ(8),
    READ_ERROR(1),
    SIZE_ERROR(1),
    TRUNCATE_ERROR(4),
    CLOSE_ERROR(1),
    NAMES_ERROR(1),
    CREATE_ERROR(3),
    OPEN_ERROR(1),
    RENAME_ERROR(3),
    DELETE_ERROR(3),
    FOLDER_FORCE_ERROR(3),
    USABLE_ERROR(2),
    EVICTED_SECTOR(0),
    BACKEND_REFUSES(3),
    BACKEND_FAILS_AFTER(3),
    BACKEND_DOWN(0),
    CRASH(0),
    CUT_IN_CALL(0),
    LOST_SECTOR(0),
    OLDER_SECTOR(0),
    TORN_SECTOR(0),
    LOST_LENGTH(0),
    LOST_NAME(0),
    SCATTERED_NAMES(0),
    KILL(0),
    CLEAN_STOP(0),
    CLOCK_JUMP(0),
    HIGH_WATER(0),
    REPEATED_AFTER_JUMP(0),
    REPEATED_REQUEST(0),
    REFUSED_UPDATE(0),
    FLIP_IN_RECORD(0),
    FLIP_IN_LAST_BATCH(0),
    FLIP_IN_HEADER(0),
    BAD_SECTOR_IN_RECORD(0),
    BAD_SECTOR_AT_END(0),
    BAD_SECTOR_ELSEWHERE(0),
    READ_WHILE_WRITTEN(0),
    QUEUED_AND_LOST(0),
    NO_MEMORY(2),
    NO_MEMORY_IN_CHANGE(2),
    MIRROR_BUILT(0),
    MIRROR_REFUSED(0),
    EXPIRED(0),
    CLOCK_JUMP_BETWEEN(0),
    FLIP_ELSEWHERE(0),
    UPDATES_BESIDE_IMAGE(0),
    FLIP_IN_SLOT(0),
    FLIP_IN_FREE_SLOT(0),
    FLIP_IN_IMAGE(0),
    FLIP_IN_BOTH_MANIFESTS(0),
    FLIP_BESIDE_SLOTS(0);

    /** The relative frequency per call; 0 for failures that the simulation triggers elsewhere. */
    final int weight;

    Fault(int weight) {
        this.weight = weight;
    }
}
