package dev.weir.storage.log;

/** The reasons why an update log refuses updates. */
public enum Obstacle {
    /** The disk has too little space. */
    DISK("the disk has too little room"),
    /** The log has reached its limit, because the store has not caught up. */
    STORE("the store is too far behind the log"),
    /** The log has reached its limit, because the Redis that nodes share has not caught up. */
    REDIS("the shared Redis is too far behind the log"),
    /** A write failed. */
    FAILURE("the log cannot be written");

    private final String description;

    Obstacle(String description) {
        this.description = description;
    }

    /** Returns a clause without any names of this machine. */
    public String description() {
        return description;
    }
}
