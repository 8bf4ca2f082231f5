// Names of messages for readers: the data has `sender → receiver #number`.

/** Sender and receiver, and the number that the sender gave the message. */
const NAME = /^(.*) #(\d+)$/;

/** Explains the numbers of messages. */
export const MESSAGE_NUMBER = "The number of a message counts the messages of its sender, from 0; commands write it behind #.";

/** The name of a message: its pair of hosts, and its number in words. */
export const messageName = (name: string): string => name.replace(NAME, "$1 (message $2)");

/** The pair of hosts of a message. */
export const pairOf = (name: string): string => name.replace(NAME, "$1");
