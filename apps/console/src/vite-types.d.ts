declare module 'virtual:portal.css';
